#include "core/problem/decided_program.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/energy/linearity.h"
#include "core/problem/instance_case.h"
#include "core/problem/suit_program.h"

namespace thallo {
namespace {

// What damping is left keeps a singular JtJ positive definite.
constexpr double RadiusOfLinear = 1e10;

// What prices assume of a linear solve at least. If it takes fewer iterations, what is stored for
// them is stored in vain, which costs the less the fewer they are thought to be; if it takes more,
// all of them compute again what is not stored.
constexpr double LeastExpectedIterations = 30;

// Loose iterations are spread over so many steps.
constexpr double StepsOfLooseIterations = 5;

}  // namespace

ProgramDemand demand_on_host(const Instance& instance, Precision precision,
                             std::function<Expected<DeviceSpec>()> device) {
  return {.instance = instance,
          .precision = precision,
          .device = std::move(device),
          .data = [&]() -> Expected<Binding> { return instance.binding; }};
}

ProgramDecider::ProgramDecider(const EnergyFile& file, const RunRequest& request)
    : file_(file), request_(request), is_linear_(is_linear(file.energy.as_written())) {}

Expected<DecidedProgram> ProgramDecider::decide(const ProgramDemand& demand,
                                                SolverOptions options) {
  if (auto legal = check_eliminate(file_.energy, options); !legal) return fail(legal.error());
  DecidedProgram decided{.solver = std::move(options)};
  if (demand.data) {
    THALLO_TRY(const auto data, demand.data());
    rows_ = sample_rows(file_.energy.as_written(), data);
    logger("solve").debug(
        "in float, rounding may change J by {:.1e} of it; |J c|^2 is at least {:.1e} of sum d c^2; "
        "{:.0f} % of the elements are free",
        rows_.float_error, rows_.anchoring, 100 * rows_.free);
  }
  if (decided.solver.chooses_linear_solver()) {
    choose(demand, decided.solver);
    decided.solver.linear_solver = chosen_->second.solver->name();
    if (!chosen_->second.preconditioner.empty())
      decided.solver.preconditioner = chosen_->second.preconditioner;
    decided.why_linear_solver = chosen_->second.reason;
  } else {
    chosen_.reset();
  }
  decided.program = program_options(file_.defaults, decided.solver, request_.parts, request_.passes,
                                    demand.precision);
  suit_precision(demand.instance, decided);
  suit_radius(decided);
  if (auto suited = suit_eliminated(demand.instance, decided); !suited) return fail(suited.error());
  suit_loose_steps(decided);
  expect_iterations(demand, decided);
  return decided;
}

void ProgramDecider::choose(const ProgramDemand& demand, const SolverOptions& options) {
  const Binding& binding = demand.instance.binding;
  ChosenFor chosen_for(options.solver, binding.extents(), std::round(std::log10(rows_.anchoring)),
                       std::round(4 * rows_.free));
  if (chosen_ && chosen_->first == chosen_for) return;
  LinearSolverChoice choice =
      choose_linear_solver({.energy = file_.energy.as_written(),
                            .binding = binding,
                            .options = options,
                            .rows = rows_,
                            .parts = request_.parts,
                            .program =
                                [&](const SolverOptions& named) {
                                  return program_options(file_.defaults, named, request_.parts,
                                                         request_.passes, demand.precision);
                                },
                            .memory_limit = request_.compile.memory_limit,
                            .model = *request_.model,
                            .device = demand.device});
  logger("solve").info("linear_solver {}: {}", choice.solver->name(), choice.reason);
  chosen_.emplace(std::move(chosen_for), std::move(choice));
}

// Makes mixed precision double where float is not good enough for the linear loop.
void ProgramDecider::suit_precision(const Instance& instance, DecidedProgram& decided) const {
  if (decided.program.precision != Precision::Mixed) return;
  if (rows_.float_error > MostLoopError) {
    decided.why_precision =
        fmt::format("in float, rounding may change J by {:.1e} of it", rows_.float_error);
  } else if (outgrows_float(instance, decided)) {
    decided.why_precision =
        fmt::format("elements are so many hops apart that rounding would end {} in float",
                    decided.program.linear_solver->name());
  } else {
    return;
  }
  decided.program.precision = Precision::Double;
}

bool ProgramDecider::outgrows_float(const Instance& instance, const DecidedProgram& decided) const {
  if (chosen_) return chosen_->second.outgrows_float;
  return InstanceCase(file_.energy.as_written(), instance.binding, decided.solver, rows_,
                      request_.compile.memory_limit)
      .outgrows_float(*decided.program.linear_solver);
}

// The model of a linear energy is exact, and damping only delays the answer. A little damped step
// of others costs a direct solver no more than another, but PCG takes more iterations for it, and
// the steps that it ends early lead elsewhere.
void ProgramDecider::suit_radius(DecidedProgram& decided) const {
  SolverOptions& solver = decided.solver;
  double& radius = solver.trust_region_radius;
  if (solver.named.contains("trust_region_radius")) return;
  if (is_linear_) {
    radius = std::min(std::max(radius, RadiusOfLinear), solver.max_trust_region_radius);
  } else if (!decided.program.linear_solver->is_direct()) {
    radius = std::min(radius, SolverOptions().trust_region_radius);
  }
}

Expected<void> ProgramDecider::suit_eliminated(const Instance& instance, DecidedProgram& decided) {
  ProgramOptions& program = decided.program;
  SuitedFor key(program.linear_solver, decided.solver.eliminate, program.preconditioner,
                instance.binding.extents());
  if (!eliminated_ || eliminated_->first != key) {
    THALLO_CHECK(suit_program(file_.energy, instance.binding, decided.solver, program));
    loose_iterations_ = program.forms_schur_complement()
                            ? InstanceCase(file_.energy, instance.binding, decided.solver, rows_,
                                           request_.compile.memory_limit)
                                  .loose_iterations(program.eliminated, *program.linear_solver)
                            : 0;
    eliminated_.emplace(std::move(key), program.eliminated);
  }
  program.eliminated = eliminated_->second;
  return {};
}

void ProgramDecider::suit_loose_steps(DecidedProgram& decided) const {
  ProgramOptions& program = decided.program;
  if (!program.forms_schur_complement() || program.solver != SolverKind::LevenbergMarquardt) return;
  std::optional<int>& iterations = decided.solver.loose_iterations;
  if (!iterations) iterations = loose_iterations_;
  program.iterates_first = *iterations > 0;
}

void ProgramDecider::expect_iterations(const ProgramDemand& demand, DecidedProgram& decided) const {
  const SolverOptions& solver = decided.solver;
  const LinearSolver& linear = *decided.program.linear_solver;
  if (!decided.program.has_linear_loop() || linear.is_direct() || !solver.pcg_has_test() ||
      solver.named.contains("lIterations"))
    return;
  double expected = chosen_ ? chosen_->second.linear_iterations : 0;
  if (expected == 0) {
    InstanceCase its(file_.energy.as_written(), demand.instance.binding, solver, rows_,
                     request_.compile.memory_limit);
    its.ask_about(decided.program.preconditioner);
    if (const auto outlook = linear.outlook(its)) expected = outlook->linear_iterations;
  }
  logger("solve").debug("about {:.0f} linear iterations are expected of a step", expected);
  decided.linear_iterations = std::min<double>(
      std::max(std::round(expected), LeastExpectedIterations), solver.num_linear_iterations);
}

Expected<void> ProgramDecider::suit(const Plan& plan, const ProgramDemand& demand,
                                    DecidedProgram& decided) {
  auto valid = check_program(file_.energy, plan, decided.program);
  if (!valid && decided.program.iterates_first &&
      !decided.solver.named.contains("loose_iterations")) {
    decided.solver.loose_iterations = 0;
    decided.program.iterates_first = false;
    valid = check_program(file_.energy, plan, decided.program);
  }
  if (valid || !chosen_ || chosen_->second.solver == pcg_solver()) return valid;
  logger("solve").info("linear_solver {}: {}", pcg_solver()->name(), valid.error().message());
  chosen_->second = {.solver = pcg_solver(), .reason = valid.error().message()};
  SolverOptions open = std::move(decided.solver);
  open.linear_solver.clear();
  THALLO_TRY(decided, decide(demand, std::move(open)));
  return check_program(file_.energy, plan, decided.program);
}

IterationCounts expected_counts(const DecidedProgram& decided) {
  const SolverOptions& solver = decided.solver;
  const ProgramOptions& program = decided.program;
  if (!program.has_linear_loop()) return {.linear_iterations = 0, .reset_period = 0};
  if (program.linear_solver->is_direct()) {
    return {.linear_iterations = solver.loose_iterations.value_or(0) / StepsOfLooseIterations,
            .reset_period = static_cast<double>(solver.residual_reset_period)};
  }
  return {.linear_iterations = decided.linear_iterations > 0
                                   ? decided.linear_iterations
                                   : static_cast<double>(solver.num_linear_iterations),
          .reset_period = program.resets_residual() ? solver.residual_reset_period : 0.0};
}

AutoTarget auto_target(const ProgramDemand& demand, const DecidedProgram& decided,
                       const RunRequest& request) {
  return {.binding = demand.instance.binding,
          .program = decided.program,
          .counts = expected_counts(decided),
          .memory_limit = request.compile.memory_limit,
          .model = request.model,
          .device = demand.device};
}

Expected<DecidedProgram> decide_program(const EnergyFile& file, const ProgramDemand& demand,
                                        const RunRequest& request) {
  THALLO_TRY(auto options, solver_options(demand.instance, request));
  return ProgramDecider(file, request).decide(demand, std::move(options));
}

}  // namespace thallo
