#include "core/kernel/lower.h"

#include "core/base/error.h"
#include "core/kernel/construct_lowering.h"
#include "core/kernel/linear_loop_lowering.h"
#include "core/kernel/lowering/program_builder.h"
#include "core/kernel/lowering/stages.h"
#include "core/schedule/gather.h"
#include "core/schedule/storage_format.h"
#include "core/schedule/stored_found.h"

namespace thallo {

std::vector<FieldId> unknowns_without_block(const KernelProgram& program) {
  std::vector<FieldId> result;
  for (const UnknownSpace& space : program.spaces) {
    if (space.lacks_block)
      result.insert(result.end(), space.unknowns.begin(), space.unknowns.end());
  }
  return result;
}

Expected<void> check_part(const Energy& energy, const Part& part, const ProgramOptions& options) {
  const bool is_batch = energy.members().valid();
  if (is_batch && options.has_linear_loop() &&
      ((stores_j(part.strategy) && part.j_format != StorageFormat::Structured) ||
       (stores_jtj(part.strategy) && jtj_form(energy, part) != JtJForm::Diagonals))) {
    return fail(
        "the members of the batch {} are multiplied by each for itself, and the schedule stores a "
        "matrix of '{}' for all of them; use another strategy, or storage(\"structured\")",
        energy.dim(energy.members()).name, part.name);
  }
  if (options.is_deterministic && !is_batch) {
    if (auto ordered = check_order(energy, part); !ordered) return ordered;
  }
  if (!options.eliminated.valid() || !options.has_linear_loop()) return {};
  const bool has_matrix = stores_j(part.strategy) && part.j_format != StorageFormat::Structured;
  if (!has_matrix && !stores_jtj(part.strategy)) return {};
  return fail(
      "linear_solver {} multiplies by a part of JtJ at a time, and the schedule stores {} of '{}' "
      "as a whole; use linear_solver pcg or another schedule",
      options.linear_solver->name(), has_matrix ? "J" : "JtJ", part.name);
}

Expected<void> check_program(const Energy& energy, const Plan& plan,
                             const ProgramOptions& options) {
  if (options.linear_solver->is_direct() && plan.vector_order != VectorOrder::Plain) {
    return fail(
        "linear_solver {} takes vectors in the order of its matrix, and the schedule has them {}; "
        "use linear_solver pcg or r.vectors:layout(\"plain\")",
        options.linear_solver->name(), to_string(plan.vector_order));
  }
  if (auto valid = options.preconditioner->check_solver(*options.linear_solver); !valid)
    return valid;
  for (const Part& part : plan.parts)
    if (auto valid = check_part(energy, part, options); !valid) return valid;
  return {};
}

namespace {

// Adds the products and the solver's own steps.
KernelProgram finished(ProgramBuilder& builder) {
  lower_products(builder);
  lower_solver(builder);
  if (builder.options().sums_groups) lower_group_sums(builder);
  if (builder.options().precision == Precision::Mixed) mix_precision(builder);
  if (builder.has_members()) {
    separate_members(builder);
  } else if (builder.options().is_deterministic) {
    order_additions(builder);
  }
  return std::move(builder).take();
}

}  // namespace

KernelProgram make_solver_program(const Energy& energy, const Plan& plan,
                                  const ProgramOptions& options, bool starts_product) {
  THALLO_ASSERT(plan.parts.empty());
  ProgramBuilder builder(energy, plan, options);
  if (starts_product) builder.start_product();
  return finished(builder);
}

KernelProgram make_program(const Energy& energy, const Plan& plan, const ProgramOptions& options) {
  // What check_order() refuses has a program all the same: explanations ask what it would be.
  ProgramOptions in_any_order = options;
  in_any_order.is_deterministic = false;
  THALLO_ASSERT(check_program(energy, plan, in_any_order).has_value());
  THALLO_ASSERT_EQ(plan.intermediates.size(), energy.intermediates().size());
  if (recomputes_found(energy, plan)) {
    const PlannedEnergy lowered = with_stored_found_only(energy, plan);
    return make_program(lowered.energy, lowered.plan, options);
  }
  ProgramBuilder builder(energy, plan, options);
  lower_stored(builder);
  KernelProgram program = finished(builder);
  lower_linear_loop(*options.linear_solver, program);
  lower_extensions(plan, program);
  return program;
}

}  // namespace thallo
