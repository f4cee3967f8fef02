#include "core/backend/cuda/dense.h"

#include <utility>

#include "core/backend/cuda/driver.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int DenseBlockSize = 256;
constexpr unsigned int FinishBlockSize = 512;
constexpr std::int64_t TileSize = 32;

// Of the factor, whose last row is the right-hand side's.
struct Tiles {
  explicit Tiles(std::int64_t num_unknowns)
      : rows(num_unknowns / TileSize + 1), columns((num_unknowns + TileSize - 1) / TileSize) {}
  // Blocks that make those on or below the diagonal: one for each, without the tile to the left of
  // a diagonal one.
  std::int64_t num_blocks() const {
    return columns * rows - columns * (columns - 1) / 2 - (columns - 1);
  }

  std::int64_t rows, columns;
};

// The columns of a matrix that cuSOLVER factors begin where memory transfers do; with an odd stride
// it takes 1.3 times as long.
std::int64_t library_stride(std::int64_t num_unknowns) { return (num_unknowns + 31) / 32 * 32; }

bool needs_library(std::int64_t num_unknowns) { return num_unknowns > MaxDenseTiledUnknowns; }

// A column more for the right-hand side, or a row more.
std::int64_t factor_entries(std::int64_t num_unknowns) {
  if (num_unknowns <= MaxDenseBlockUnknowns) return 0;
  return (num_unknowns + 1) *
         (needs_library(num_unknowns) ? library_stride(num_unknowns) : num_unknowns);
}

}  // namespace

DenseSolver::DenseSolver(Module module)
    : module_(std::move(module)),
      solve_block_(module_.function("dense_solve")),
      prepare_(module_.function("dense_prepare")),
      prepare_columns_(module_.function("dense_prepare_columns")),
      factor_tiles_(module_.function("dense_factor")),
      finish_(module_.function("dense_finish")),
      finish_columns_(module_.function("dense_finish_columns")) {}

bool DenseSolver::can_solve(std::int64_t num_unknowns) {
  return !needs_library(num_unknowns) || find_cusolver();
}

std::int64_t DenseSolver::bytes(std::int64_t num_unknowns) {
  return factor_entries(num_unknowns) * std::int64_t{sizeof(double)};
}

Expected<void> DenseSolver::bind(const Stream& stream, std::int64_t num_unknowns) {
  if (num_unknowns == num_unknowns_) return {};
  num_unknowns_ = 0;
  library_.reset();
  if (num_unknowns > MaxDenseBlockUnknowns) {
    if (auto done = bind_large(stream, num_unknowns); !done) return done;
  }
  num_unknowns_ = num_unknowns;
  return {};
}

Expected<void> DenseSolver::bind_large(const Stream& stream, std::int64_t num_unknowns) {
  factor_ = DeviceBuffer();
  progress_ = DeviceBuffer();
  THALLO_TRY(auto factor, DeviceBuffer::allocate(static_cast<std::size_t>(bytes(num_unknowns)),
                                                 "the dense factor"));
  const Tiles tiles(num_unknowns);
  const auto words = static_cast<std::size_t>(2 + tiles.rows * tiles.columns);
  THALLO_TRY(auto progress,
             DeviceBuffer::allocate(words * sizeof(int), "the dense solver's progress"));
  factor_ = std::move(factor);
  progress_ = std::move(progress);
  return needs_library(num_unknowns) ? bind_library(stream, num_unknowns) : Expected<void>{};
}

Expected<void> DenseSolver::bind_library(const Stream& stream, std::int64_t num_unknowns) {
  library_ = std::make_unique<LibraryCholesky>(stream);
  clear(stream.get(), factor_.pointer(), factor_.bytes());
  const std::int64_t stride = library_stride(num_unknowns);
  const auto columns = static_cast<CUdeviceptr>(stride * num_unknowns);
  return library_->bind({.n = static_cast<int>(num_unknowns),
                         .stride = static_cast<int>(stride),
                         .matrix = factor_.pointer(),
                         .x = factor_.pointer() + columns * sizeof(double),
                         .infos = progress_.pointer()});
}

// The words are those of the struct Args in kernels/dense_solve.cu.
std::vector<BoundLaunch> DenseSolver::launches(const DenseSystem& system) const {
  if (num_unknowns_ == 0) return {};
  const std::int64_t stride = library_ ? library_stride(num_unknowns_) : num_unknowns_ + 1;
  const std::vector<std::uint64_t> words = {system.matrix,
                                            system.damping,
                                            system.free,
                                            system.b,
                                            system.x,
                                            system.failed,
                                            factor_.pointer(),
                                            progress_.pointer(),
                                            static_cast<std::uint64_t>(num_unknowns_),
                                            static_cast<std::uint64_t>(stride)};
  const auto of_kernel = [&](CUfunction function, std::int64_t num_blocks, const char* label,
                             unsigned int block_size = DenseBlockSize) {
    return BoundLaunch{.function = function,
                       .num_blocks = static_cast<unsigned int>(num_blocks),
                       .block_size = block_size,
                       .words = words,
                       .has_loop_condition = false,
                       .label = label};
  };
  if (num_unknowns_ <= MaxDenseBlockUnknowns) return {of_kernel(solve_block_, 1, "dense_solve")};
  const std::int64_t num_entries = num_unknowns_ * num_unknowns_;
  const std::int64_t num_blocks = (num_entries + DenseBlockSize - 1) / DenseBlockSize;
  if (library_ != nullptr) {
    return {of_kernel(prepare_columns_, num_blocks, "dense_prepare"),
            of_kernel(finish_columns_, 1, "dense_finish", FinishBlockSize)};
  }
  return {of_kernel(prepare_, num_blocks, "dense_prepare"),
          of_kernel(factor_tiles_, Tiles(num_unknowns_).num_blocks(), "dense_factor"),
          of_kernel(finish_, 1, "dense_finish", FinishBlockSize)};
}

}  // namespace thallo::cuda
