#include "core/backend/cuda/dense.h"

#include <utility>

#include "core/base/error.h"

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

}  // namespace

DenseSolver::DenseSolver(Module module)
    : module_(std::move(module)),
      solve_block_(module_.function("dense_solve")),
      prepare_(module_.function("dense_prepare")),
      factor_tiles_(module_.function("dense_factor")),
      finish_(module_.function("dense_finish")) {}

Expected<void> DenseSolver::bind(std::int64_t num_unknowns) {
  THALLO_ASSERT(num_unknowns <= MaxDenseTiledUnknowns, "{} unknowns", num_unknowns);
  if (num_unknowns == num_unknowns_) return {};
  num_unknowns_ = 0;
  if (num_unknowns > MaxDenseBlockUnknowns) {
    if (auto done = bind_large(num_unknowns); !done) return done;
  }
  num_unknowns_ = num_unknowns;
  return {};
}

Expected<void> DenseSolver::bind_large(std::int64_t num_unknowns) {
  factor_ = DeviceBuffer();
  progress_ = DeviceBuffer();
  const auto entries = static_cast<std::size_t>(num_unknowns * (num_unknowns + 1));
  auto factor = DeviceBuffer::allocate(entries * sizeof(double), "the dense factor");
  if (!factor) return fail(factor.error());
  const Tiles tiles(num_unknowns);
  const auto words = static_cast<std::size_t>(2 + tiles.rows * tiles.columns);
  auto progress = DeviceBuffer::allocate(words * sizeof(int), "the dense solver's progress");
  if (!progress) return fail(progress.error());
  factor_ = std::move(*factor);
  progress_ = std::move(*progress);
  return {};
}

// The words are those of the struct Args in kernels/dense_solve.cu.
std::vector<BoundLaunch> DenseSolver::launches(const DenseSystem& system) const {
  if (num_unknowns_ == 0) return {};
  const std::vector<std::uint64_t> words = {system.matrix,
                                            system.damping,
                                            system.free,
                                            system.b,
                                            system.x,
                                            system.failed,
                                            factor_.pointer(),
                                            progress_.pointer(),
                                            static_cast<std::uint64_t>(num_unknowns_)};
  const auto of_kernel = [&](CUfunction function, std::int64_t num_blocks, const char* label,
                             unsigned int block_size = DenseBlockSize) {
    return BoundLaunch{.function = function,
                       .num_blocks = static_cast<unsigned int>(num_blocks),
                       .block_size = block_size,
                       .words = words,
                       .has_loop_condition = false,
                       .label = label};
  };
  if (!is_large()) return {of_kernel(solve_block_, 1, "dense_solve")};
  const std::int64_t num_entries = num_unknowns_ * num_unknowns_;
  return {of_kernel(prepare_, (num_entries + DenseBlockSize - 1) / DenseBlockSize, "dense_prepare"),
          of_kernel(factor_tiles_, Tiles(num_unknowns_).num_blocks(), "dense_factor"),
          of_kernel(finish_, 1, "dense_finish", FinishBlockSize)};
}

}  // namespace thallo::cuda
