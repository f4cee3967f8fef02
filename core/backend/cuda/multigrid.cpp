#include "core/backend/cuda/multigrid.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/multigrid_text.h"
#include "core/base/error.h"
#include "core/kernel/multigrid.h"

namespace thallo::cuda {
namespace {

GridLevels levels_of(const KernelProgram& program, const ProgramSizes& sizes) {
  return grid_levels(program, [&](DimId dim) { return sizes.extent(dim); });
}

}  // namespace

MultigridKernels::MultigridKernels(Module module)
    : module_(std::move(module)),
      build_(module_.function("multigrid_build")),
      cycle_(module_.function("multigrid_cycle")) {}

Expected<std::unique_ptr<MultigridKernels>> MultigridKernels::make(Module module,
                                                                   const Device& device) {
  std::unique_ptr<MultigridKernels> made(new MultigridKernels(std::move(module)));
  int fewest = MultigridBlocksPerUnit;
  for (const CUfunction kernel : {made->build_, made->cycle_}) {
    int blocks = 0;
    THALLO_CUDA(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, MultigridBlockSize, 0));
    fewest = std::min(fewest, blocks);
  }
  made->most_blocks_ = static_cast<unsigned int>(fewest * device.info().num_units);
  THALLO_TRY(made->arrivals_, DeviceBuffer::allocate(sizeof(std::uint64_t), "multigrid's barrier"));
  return made;
}

// No more blocks than the finest level has work for: barriers of fewer are quicker.
Expected<void> MultigridKernels::resize(const Stream& stream, const KernelProgram& program,
                                        const ProgramSizes& sizes) {
  const GridLevels grid = levels_of(program, sizes);
  if (grid.levels.size() > MaxGridLevels)
    return fail("multigrid has {} levels, more than {}", grid.levels.size(), MaxGridLevels);
  if (grid.levels.front().elements > std::numeric_limits<std::int32_t>::max())
    return fail("multigrid is for grids of fewer than 2^31 elements");
  const std::int64_t scalars = grid.channels * grid.levels.front().elements;
  const std::int64_t wanted = (scalars + MultigridBlockSize - 1) / MultigridBlockSize;
  num_blocks_ = static_cast<unsigned int>(
      std::clamp<std::int64_t>(wanted, 1, static_cast<std::int64_t>(most_blocks_)));
  clear(stream.get(), arrivals_.pointer(), arrivals_.bytes());
  return {};
}

// The words are those of the struct Args in kernels/multigrid.cu.
BoundLaunch MultigridKernels::bind(const KernelProgram& program, const Storage& storage,
                                   const RunMultigrid& step) const {
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const auto pointer = [&](std::size_t buffer) -> std::uint64_t {
    return storage.buffer(buffer).pointer();
  };
  const auto damping = program.vectors.find(SolverVector::Damping);
  const GridLevels grid = levels_of(program, storage.sizes());
  const std::vector<GridChannel> channels = grid_channels(program, storage.sizes());
  std::vector<std::uint64_t> words = {
      storage.field(program.state),
      word(step.gate ? static_cast<std::int64_t>(step.gate->slot) : std::int64_t{-1}),
      std::bit_cast<std::uint64_t>(step.gate ? step.gate->value : 0.0),
      0,  // no loop condition
      pointer(program.vector(SolverVector::R)),
      pointer(program.vector(SolverVector::Z)),
      damping == program.vectors.end() ? 0 : pointer(damping->second),
      pointer(program.multigrid->matrix),
      pointer(program.multigrid->levels),
      arrivals_.pointer(),
      word(static_cast<std::int64_t>(grid.levels.size()))};
  for (const GridChannel& channel : channels) words.push_back(word(channel.first));
  for (const GridChannel& channel : channels) words.push_back(word(channel.stride));
  for (std::size_t l = 0; l < MaxGridLevels; ++l) {
    const GridLevel level = l < grid.levels.size() ? grid.levels[l] : GridLevel{};
    for (const std::int64_t value :
         {level.extents[0], level.extents[1], level.extents[2], level.elements, level.weights,
          level.matrix, level.residual, level.correction})
      words.push_back(word(value));
  }
  const bool builds = step.pass == RunMultigrid::Pass::Build;
  return {.function = builds ? build_ : cycle_,
          .num_blocks = num_blocks_,
          .block_size = MultigridBlockSize,
          .words = std::move(words),
          .has_loop_condition = false,
          .label = label_of(step)};
}

}  // namespace thallo::cuda
