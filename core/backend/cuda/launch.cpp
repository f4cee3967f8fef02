#include "core/backend/cuda/launch.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/kernel/arguments.h"
#include "core/kernel/bind/magic.h"
#include "core/kernel/emit.h"
#include "core/kernel/lanes.h"
#include "core/kernel/launch_words.h"
#include "core/kernel/teams.h"
#include "core/kernel/tiles.h"

namespace thallo::cuda {
namespace {

struct Grid {
  std::vector<std::int64_t> num_points;   // per section
  std::vector<std::int64_t> first_block;  // per section
  std::vector<int> team;                  // per section: threads
  std::int64_t num_blocks = 0;
};

Grid make_grid(const LaunchContext& context, const KernelCode& code, const LoadedKernel& kernel) {
  Grid grid;
  for (const CodeBody& section : code.sections) {
    const std::int64_t points = context.storage.sizes().num_points(section.extents);
    grid.num_points.push_back(points);
    grid.first_block.push_back(grid.num_blocks);
    grid.team.push_back(1);
    if (has_tiles(code.shape, section)) {
      grid.num_blocks += num_tiles(code.shape, section, context.storage.sizes());
      continue;
    }
    const int block_size = block_size_of(code, context.block_size);
    grid.team.back() = team_of(context.program, section, context.storage.sizes(), block_size,
                               context.num_multiprocessors);
    grid.num_blocks +=
        launch_blocks({.num_points = points,
                       .lanes = lanes_per_thread(context.program, section, context.precision),
                       .team = grid.team.back(),
                       .block_size = block_size,
                       .rows_per_thread = code.shape.rows_per_thread,
                       .has_reductions = !code.reductions.empty(),
                       .has_epilogue = code.has_epilogue,
                       .resident_blocks = kernel.resident_blocks,
                       .num_multiprocessors = context.num_multiprocessors});
  }
  // The epilogue runs even if there are no points.
  if (grid.num_blocks == 0 && code.has_epilogue) grid.num_blocks = 1;
  return grid;
}

std::uint64_t argument_word(const LaunchContext& context, const KernelCode& code,
                            const LaunchKernel& step, const Grid& grid, const Argument& argument) {
  const Storage& storage = context.storage;
  const ProgramSizes& sizes = storage.sizes();
  const auto magic = [&] {
    const DimId dim = code.sections[argument.slot].extents[argument.domain];
    return make_magic_divisor(static_cast<std::uint64_t>(sizes.extent(dim)), context.index_bits);
  };
  switch (argument.kind) {
    case ArgumentKind::State: return storage.field(context.program.state);
    case ArgumentKind::GateSlot:
      return word(step.gate ? static_cast<std::int64_t>(step.gate->slot) : std::int64_t{-1});
    case ArgumentKind::GateValue: return word(step.gate ? step.gate->value : 0.0);
    case ArgumentKind::LoopHandle: return 0;
    case ArgumentKind::Field: {
      const FieldId field = code.slots.fields[argument.slot];
      const auto rebound = step.rebind.find(field);
      return storage.field(rebound == step.rebind.end() ? field : rebound->second);
    }
    case ArgumentKind::Param: return word(context.params[code.slots.fields[argument.slot].index()]);
    case ArgumentKind::Map: return storage.map(code.slots.maps[argument.slot]);
    case ArgumentKind::Extent: return word(sizes.extent(code.slots.dims[argument.slot]));
    case ArgumentKind::Offset: return word(sizes.offset(code.slots.offsets[argument.slot]));
    case ArgumentKind::Chunk: return word(sizes.offset(code.slots.chunks[argument.slot]));
    case ArgumentKind::NumUnknowns: return word(sizes.num_matrix_rows());
    case ArgumentKind::NumPoints: return word(grid.num_points[argument.slot]);
    case ArgumentKind::FirstBlock: return word(grid.first_block[argument.slot]);
    case ArgumentKind::Team: return word(std::int64_t{grid.team[argument.slot]});
    case ArgumentKind::Multiplier: return magic().multiplier;
    case ArgumentKind::Shift: return magic().shift;
    case ArgumentKind::Arrivals: return context.arrivals;
    case ArgumentKind::BlockSums: return context.block_sums;
  }
  THALLO_UNREACHABLE();
}

}  // namespace

Expected<void> reserve_block_sums(LaunchContext& context, std::span<const KernelCode> codes,
                                  std::span<const LoadedKernel> kernels, DeviceBuffer& sums) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    if (!has_block_sums(context.program, codes[k])) continue;
    const std::int64_t blocks = make_grid(context, codes[k], kernels[k]).num_blocks;
    most = std::max(most, static_cast<std::size_t>(blocks) * codes[k].reductions.size());
  }
  if (most * sizeof(double) > sums.bytes()) {
    THALLO_TRY(auto larger, DeviceBuffer::allocate(most * sizeof(double), "the sums of blocks"));
    sums = std::move(larger);
  }
  context.block_sums = sums.pointer();
  return {};
}

BoundLaunch bind_launch(const LaunchContext& context, const KernelCode& code,
                        const LoadedKernel& kernel, const LaunchKernel& step) {
  const Grid grid = make_grid(context, code, kernel);
  THALLO_ASSERT_LT(grid.num_blocks, std::int64_t{1} << 31);
  BoundLaunch launch{
      .function = kernel.function,
      .num_blocks = static_cast<unsigned int>(grid.num_blocks),
      .block_size = static_cast<unsigned int>(block_size_of(code, context.block_size)),
      .shared_bytes = static_cast<unsigned int>(
          context.has_windows ? window_bytes(code, context.storage.sizes(), context.precision) : 0),
      .has_loop_condition = code.loop_condition.valid(),
      .label = code.label};
  const std::vector<Argument> arguments = kernel_arguments(context.program, code, Dialect::Cuda);
  for (const Argument& argument : arguments) {
    launch.words.push_back(argument_word(context, code, step, grid, argument));
  }
  THALLO_ASSERT(arguments[LoopHandleWord].kind == ArgumentKind::LoopHandle);
  return launch;
}

BoundClear bind_clear(const Storage& storage, const ClearBuffer& step) {
  const DeviceBuffer& buffer = storage.buffer(step.buffer);
  return {buffer.pointer(), buffer.bytes()};
}

BoundDense bind_dense(const Storage& storage, const DenseSolver& dense, const SolveDirect& step) {
  const auto pointer = [&](std::size_t buffer) { return storage.buffer(buffer).pointer(); };
  return {
      .launches = dense.launches({.matrix = pointer(step.matrix),
                                  .damping = step.damping ? pointer(*step.damping) : CUdeviceptr{0},
                                  .free = pointer(step.free),
                                  .b = pointer(step.b),
                                  .x = pointer(step.x),
                                  .failed = storage.state_slot(StateSlot::DirectFailed)}),
      .library = dense.library()};
}

bool has_library(const BoundStep& step) {
  if (const auto* dense = std::get_if<BoundDense>(&step)) return dense->library != nullptr;
  return std::holds_alternative<BoundLibrary>(step);
}

std::span<const BoundLaunch> kernels_of(const BoundStep& step) {
  if (const auto* kernel = std::get_if<BoundLaunch>(&step)) return {kernel, 1};
  if (const auto* dense = std::get_if<BoundDense>(&step); dense != nullptr && !dense->library)
    return dense->launches;
  return {};
}

int num_launches(const BoundStep& step) {
  if (is_host_solve(step)) return 0;
  if (const auto* dense = std::get_if<BoundDense>(&step))
    return static_cast<int>(dense->launches.size());
  return 1;
}

int enqueue(const Stream& stream, const BoundStep& step) {
  const auto launch_kernel = [&](const BoundLaunch& kernel) {
    launch(stream.get(), kernel.function,
           {kernel.num_blocks, kernel.block_size, kernel.shared_bytes}, kernel.words.data(),
           kernel.label);
  };
  for (const BoundLaunch& kernel : kernels_of(step)) launch_kernel(kernel);
  if (const auto* dense = std::get_if<BoundDense>(&step); dense != nullptr && dense->library) {
    launch_kernel(dense->launches.front());
    dense->library->run();
    launch_kernel(dense->launches.back());
  } else if (const auto* zero = std::get_if<BoundClear>(&step)) {
    clear(stream.get(), zero->pointer, zero->bytes);
  } else if (const auto* library = std::get_if<BoundLibrary>(&step)) {
    library->libraries->run(library->op);
  } else if (const auto* host = std::get_if<BoundHostSolve>(&step)) {
    host->solve->solve(stream, *host->storage);
  }
  return num_launches(step);
}

}  // namespace thallo::cuda
