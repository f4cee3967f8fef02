#include "core/backend/cpu/launch.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/kernel/arguments.h"

namespace thallo {
namespace {

std::uint64_t argument_word(const KernelProgram& program, const KernelCode& code,
                            const LaunchKernel& step, const HostMemory& memory,
                            const Argument& argument) {
  const ProgramSizes& sizes = memory.sizes();
  switch (argument.kind) {
    case ArgumentKind::State: return word(memory.field(program.state));
    case ArgumentKind::GateSlot:
      return word(step.gate ? static_cast<std::int64_t>(step.gate->slot) : std::int64_t{-1});
    case ArgumentKind::GateValue: return word(step.gate ? step.gate->value : 0.0);
    case ArgumentKind::LoopHandle: return 0;
    case ArgumentKind::Field:
      return word(memory.field(rebound(step, code.slots.fields[argument.slot])));
    case ArgumentKind::Param: return word(memory.param(code.slots.fields[argument.slot]));
    case ArgumentKind::Map: return word(memory.map(code.slots.maps[argument.slot]).data());
    case ArgumentKind::Extent: return word(sizes.extent(code.slots.dims[argument.slot]));
    case ArgumentKind::Offset: return word(sizes.offset(code.slots.offsets[argument.slot]));
    case ArgumentKind::Chunk: return word(sizes.offset(code.slots.chunks[argument.slot]));
    case ArgumentKind::NumUnknowns: return word(sizes.num_matrix_rows());
    case ArgumentKind::NumPoints:
      return word(sizes.num_points(code.sections[argument.slot].extents));
    case ArgumentKind::FirstBlock:
    case ArgumentKind::Team:
    case ArgumentKind::Multiplier:
    case ArgumentKind::Shift:
    case ArgumentKind::Arrivals:
    case ArgumentKind::BlockSums: break;  // CUDA only
  }
  THALLO_UNREACHABLE();
}

// True if the kernel reads `field`, or stores to it other than by adding. A private copy supports
// neither, so such a kernel runs as one part.
bool uses_otherwise(const KernelCode& code, FieldId field) {
  if (std::ranges::find(code.written, field) != code.written.end()) return true;
  return std::ranges::any_of(code.sections, [field](const CodeBody& section) {
    return std::ranges::any_of(section.values,
                               [field](const Instruction& v) { return v.field == field; });
  });
}

}  // namespace

bool adds_apart(const KernelCode& code) {
  return std::ranges::none_of(code.scattered,
                              [&](FieldId field) { return uses_otherwise(code, field); });
}

PointLaunch bind_launch(const KernelProgram& program, const KernelCode& code,
                        const LaunchKernel& step, const HostKernel& kernel,
                        const HostMemory& memory, int num_threads) {
  PointLaunch::Task task{.kernel = kernel,
                         .state = memory.doubles(program.state).data(),
                         .keeps_apart = adds_apart(code)};
  const std::vector<Argument> arguments = kernel_arguments(program, code, Dialect::C);
  for (const Argument& argument : arguments)
    task.words.push_back(argument_word(program, code, step, memory, argument));
  for (const CodeBody& section : code.sections) {
    task.sections.push_back({.num_points = memory.sizes().num_points(section.extents),
                             .num_values = std::ssize(section.values)});
  }
  for (const Reduction& reduction : code.reductions)
    task.reductions.push_back(
        {static_cast<StateSlot>(reduction.slot), reduction.op == ReduceOp::Max});
  if (!program.is_deterministic) {
    for (const FieldId field : code.scattered) {
      const FieldId target = rebound(step, field);
      PointLaunch::Scattered scattered{.data = memory.field(target),
                                       .count = memory.reach(target),
                                       .is_double = memory.type(target) == ScalarType::Double};
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].kind == ArgumentKind::Field && task.words[i] == word(scattered.data))
          scattered.words.push_back(i);
      }
      task.scattered.push_back(std::move(scattered));
    }
  }
  return {std::move(task), num_threads};
}

}  // namespace thallo
