#include "core/kernel/lower.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/energy/found/intermediates.h"
#include "core/kernel/construct_lowering.h"
#include "core/kernel/linear_loop_lowering.h"
#include "core/kernel/lowering/program_builder.h"
#include "core/kernel/lowering/stages.h"
#include "core/schedule/gather.h"
#include "core/schedule/storage_format.h"

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
  THALLO_CHECK(options.preconditioner->check_solver(*options.linear_solver));
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

bool is_stored(Materialization m) { return m.value || m.gradient; }

// A Sum that reads other intermediates is another expression, but keeps its name.
ExprId sum_of_name(const Energy& energy, const std::string& name) {
  const auto sum = std::ranges::find(energy.sums(), name, &NamedSum::name);
  THALLO_ASSERT(sum != energy.sums().end(), "a Sum has lost its name");
  return sum->sum;
}

// True if the energy has found intermediates that the plan does not store.
bool recomputes_found(const Energy& energy, const Plan& plan) {
  for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
    if (energy.intermediates()[i].is_found && !is_stored(plan.intermediates[i])) return true;
  }
  return false;
}

struct PlannedEnergy {
  Energy energy;
  Plan plan;
};

// Returns the energy as written with only those found intermediates that the plan stores, and the
// same plan for it. So a plan makes the same kernels whatever else was found.
PlannedEnergy with_stored_found_only(const Energy& energy, const Plan& plan) {
  std::vector<std::string> stored;
  std::map<std::string, Materialization> by_name;
  for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
    const Intermediate& intermediate = energy.intermediates()[i];
    const std::string& name = energy.field(intermediate.field).name;
    by_name[name] = plan.intermediates[i];
    if (intermediate.is_found && is_stored(plan.intermediates[i])) stored.push_back(name);
  }
  PlannedEnergy result{stored.empty() ? energy.as_written() : energy.found()->with(stored), plan};
  result.plan.intermediates.clear();
  for (const Intermediate& intermediate : result.energy.intermediates())
    result.plan.intermediates.push_back(by_name.at(result.energy.field(intermediate.field).name));
  for (PlannedSum& sum : result.plan.sums) sum.sum = sum_of_name(result.energy, sum.name);
  return result;
}

}  // namespace

LinearLoopLowering::~LinearLoopLowering() = default;

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
  if (const auto* loop = dynamic_cast<const LinearLoopLowering*>(options.linear_solver))
    loop->lower(program);
  lower_extensions(plan, program);
  return program;
}

}  // namespace thallo
