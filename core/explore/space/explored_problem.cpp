#include "core/explore/space/explored_problem.h"

#include <utility>

#include "core/base/hash.h"
#include "core/explore/space/problem_signature.h"
#include "core/frontend/schedule_text.h"
#include "core/problem/decided_program.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

// The time and result of solves also depend on solver options, which are not part of a problem's
// signature. With other settings, the problem counts as another problem.
std::string with_settings(std::string signature, const ExplorationTarget& target) {
  if (target.solver_options.empty()) return signature;
  for (const auto& [name, value] : target.solver_options) signature += ' ' + name + '=' + value;
  return 'p' + hash_text(signature).hex().substr(0, 12);
}

// Some problems are solved until they converge, and their iteration counts are only limits
// (SolverOptions::until_converged). Running that many iterations of every schedule would take
// hours, so the counts are reduced unless the user set them.
SolverOptions with_measured_counts(const DecidedProgram& decided) {
  SolverOptions options = decided.solver;
  const bool is_limit = options.num_iterations == SolverOptions::until_converged().num_iterations;
  if (is_limit && !options.named.contains("nIterations"))
    options.num_iterations = SolverOptions().num_iterations;
  if (!decided.program.linear_solver->is_direct())
    options.num_linear_iterations = static_cast<int>(expected_counts(decided).linear_iterations);
  return options;
}

}  // namespace

Expected<ExploredProblem> ExploredProblem::open(Session& session, const ExplorationTarget& target) {
  THALLO_TRY(const auto problem, session.open_problem(target.problem, target.bindings));
  THALLO_TRY(auto options, complete_options(problem->options(), target.options));
  THALLO_TRY(auto written, problem->energy(options));
  EnergyFile file = with_sites(written, target.sites);
  THALLO_TRY(auto instance, problem->instantiate(file.energy.as_written(), options));
  THALLO_TRY(const auto model, session.cost_model(target.model));
  RunRequest request;
  request.solver_options = target.solver_options;
  request.is_published = true;
  request.parts = session.solver_parts();
  request.passes = target.passes;
  request.compile.memory_limit = target.memory_limit;
  request.model = model;
  const auto device = [&] {
    return session.device_spec(target.device_spec, target.backend, target.device);
  };
  const Precision precision = target.precision.value_or(instance.precision);
  THALLO_TRY(auto decided,
             decide_program(file, demand_on_host(instance, precision, device), request));

  ExploredProblem result{.problem = problem,
                         .constructs = &session.constructs(),
                         .model = model,
                         .options = std::move(options),
                         .file = std::move(file),
                         .instance = std::move(instance),
                         .solver = with_measured_counts(decided),
                         .program = decided.program,
                         .counts = expected_counts(decided),
                         .why_linear_solver = std::move(decided.why_linear_solver)};
  result.compile.precision = result.program.precision;
  result.compile.num_threads = target.num_threads;
  result.compile.memory_limit = target.memory_limit;
  result.signature =
      with_settings(problem_signature(*problem, result.options, result.file.energy.as_written(),
                                      result.instance.binding, result.program),
                    target);
  return result;
}

Expected<Schedule> ExploredProblem::read(const std::string& text) const {
  THALLO_TRY(const auto statements, load_schedule_text(text, "the schedule"));
  return read_schedule(file.energy, statements, *constructs);
}

Expected<Pins> ExploredProblem::read_pins(const std::string& text) const {
  const std::string name = "the pins";
  THALLO_TRY(const auto statements, load_schedule_text(text, name));
  return thallo::read_pins(file.energy, statements, *constructs, name);
}

Expected<Plan> ExploredProblem::plan_of(const Schedule& schedule) const {
  THALLO_TRY(auto plan, make_plan(file.energy, schedule, *constructs));
  plan.precision = program.precision;
  THALLO_CHECK(check_program(file.energy, plan, program));
  return plan;
}

PriceOptions ExploredProblem::price_options(const CostModel& by) const {
  return {.program = program, .counts = counts, .model = &by};
}

AutoTarget ExploredProblem::auto_target(const DeviceSpec& device_spec) const {
  return {.binding = instance.binding,
          .program = program,
          .counts = counts,
          .memory_limit = compile.memory_limit,
          .model = model,
          .device = [&device_spec]() -> Expected<DeviceSpec> { return device_spec; }};
}

}  // namespace thallo
