#include "core/backend/cuda/dense.h"

#include <utility>

#include "core/base/error.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int DenseBlockSize = 256;
constexpr std::int64_t TileSize = 32;

// The host's copy of the struct Args in dense_text.cpp.
struct DenseArgs {
  CUdeviceptr matrix, damping, free, b, x, failed, factor, progress;
  std::int64_t n;
};

// Of the factor, whose last row is the right-hand side's.
struct Tiles {
  explicit Tiles(std::int64_t num_unknowns)
      : rows(num_unknowns / TileSize + 1), columns((num_unknowns + TileSize - 1) / TileSize) {}
  // Those that are on or below the diagonal.
  std::int64_t count() const { return columns * rows - columns * (columns - 1) / 2; }

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

void DenseSolver::solve(const Stream& stream, const DenseSystem& system) {
  const DenseArgs args{system.matrix, system.damping, system.free,       system.b,
                       system.x,      system.failed,  factor_.pointer(), progress_.pointer(),
                       num_unknowns_};
  if (num_unknowns_ == 0) return;
  if (!is_large()) {
    launch(stream.get(), solve_block_, {1, DenseBlockSize}, &args, "dense_solve");
    return;
  }
  const auto num_entries = static_cast<std::uint64_t>(num_unknowns_ * num_unknowns_);
  const auto num_blocks =
      static_cast<unsigned int>((num_entries + DenseBlockSize - 1) / DenseBlockSize);
  const auto num_tiles = static_cast<unsigned int>(Tiles(num_unknowns_).count());
  launch(stream.get(), prepare_, {num_blocks, DenseBlockSize}, &args, "dense_prepare");
  launch(stream.get(), factor_tiles_, {num_tiles, DenseBlockSize}, &args, "dense_factor");
  launch(stream.get(), finish_, {1, DenseBlockSize}, &args, "dense_finish");
}

}  // namespace thallo::cuda
