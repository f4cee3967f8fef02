#include "core/solve/start_summary.h"

#include "core/kernel/lower.h"

namespace thallo {

ProgramTraits traits_of(const Executable& executable) {
  const KernelProgram& program = executable.program();
  const auto is_double = [&](SolverVector vector) {
    return executable.buffer_type(program.vector(vector)) == ScalarType::Double;
  };
  return {.solves_directly = program.solves_directly(),
          .has_linear_loop = program.has_linear_loop(),
          .resets_residual = program.resets_residual(),
          .has_members = program.has_members(),
          .has_bounds = program.has_bounds(),
          .has_double_b = is_double(SolverVector::B),
          .has_double_r = is_double(SolverVector::R),
          .minimized_cost = program.minimized_cost,
          .knows_minimized_cost = program.knows_minimized_cost};
}

SolverSummary start_summary(const KernelProgram& program, const SolverOptions& options) {
  SolverSummary summary;
  summary.energy = program.name;
  summary.options = options;
  summary.solved_directly = program.solves_directly();
  summary.reweights_norms = program.minimized_cost != StateSlot::Cost;
  summary.knows_minimized_cost = program.knows_minimized_cost;
  for (const FieldId unknown : unknowns_without_block(program))
    summary.unknowns_without_block.push_back(program.field(unknown).name);
  return summary;
}

}  // namespace thallo
