#include "core/problem/driver.h"

#include <chrono>
#include <new>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/seconds_since.h"
#include "core/base/stop_scope.h"
#include "core/frontend/schedule_text.h"
#include "core/kernel/lower.h"
#include "core/problem/instance_solver.h"
#include "core/schedule/plan.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

// One run; its functions are the stages.
class Driver {
 public:
  Driver(const Problem& problem, const RunRequest& request, Backend& backend)
      : problem_(problem), request_(request), backend_(backend) {}

  Expected<Run> run() {
    auto run = begin();
    if (!run) return run;
    InstanceSolver solver(run->file, request_, backend_);
    try {
      auto solved = solve_all(*run, solver);
      run->executable = solver.take_executable();
      run->schedule = solver.schedule();
      run->solution.precision = solver.compiled_precision();
      run->solution.compile_seconds = solver.compile_seconds();
      if (!solved) return fail(solved.error());
      run->report = report_of(*run);
    } catch (const std::bad_alloc&) {
      return fail("{}", solver.out_of_memory_text(run->instance));
    }
    return run;
  }

 private:
  // Computing the metrics of large data may take longer than to wait for. A run that was cancelled
  // before has a report, too.
  Report report_of(const Run& run) {
    const StopScope scope(is_cancelled() ? std::stop_token() : request_.stop);
    announce(RunStage::Report);
    try {
      return problem_.report(run.instance, run.solution);
    } catch (const Stopped&) {
      logger("solve").warn("there are no metrics, since the run was told to end");
      return {.is_cut = true};
    }
  }

  // Makes the energy and the instance.
  Expected<Run> begin() {
    THALLO_CHECK(check_precision(backend_, request_.precision));
    THALLO_TRY(auto options, complete_options(problem_.options(), request_.options));
    announce(RunStage::Energy);
    auto file = problem_.energy(options);
    if (!file) return fail(file.error());
    announce(RunStage::Instantiate);
    auto instance = instantiate(file->energy, options);
    if (!instance) return fail(instance.error());
    if (is_cancelled()) return fail("{}", CancelledRun);

    Run run{.file = *std::move(file), .instance = *std::move(instance)};
    run.solution.backend = backend_.name();
    return run;
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const {
    try {
      return problem_.instantiate(energy, options);
    } catch (const std::bad_alloc&) {
      return fail("memory ran out while the input of '{}' was made ({})", problem_.info().name,
                  options.text());
    }
  }

  Expected<void> solve_all(Run& run, InstanceSolver& solver) {
    const auto start = std::chrono::steady_clock::now();
    for (bool more = true; more; ++solve_) {
      auto summary = solver.solve(run.instance);
      run.solution.compile_seconds = solver.compile_seconds();
      if (!summary && is_cancelled()) {
        if (solve_ > 0) break;
        return fail("{}", CancelledRun);
      }
      if (!summary) return fail(summary.error());
      run.solution.solves.push_back(*std::move(summary));
      run.solution.total_seconds = seconds_since(start);
      if (is_cancelled()) break;
      announce(RunStage::Advance);
      THALLO_TRY(auto advanced, problem_.advance(run.instance, solve_, run.solution));
      more = advanced;
    }
    return {};
  }

  bool is_cancelled() const { return request_.stop.stop_requested(); }

  void announce(RunStage stage) const {
    if (request_.progress) request_.progress({.stage = stage, .solve = solve_});
  }

  const Problem& problem_;
  const RunRequest& request_;
  Backend& backend_;
  int solve_ = 0;
};

}  // namespace

std::string_view to_string(RunStage stage) {
  switch (stage) {
    case RunStage::Energy: return "energy";
    case RunStage::Instantiate: return "instantiate";
    case RunStage::Compile: return "compile";
    case RunStage::Bind: return "bind";
    case RunStage::Solve: return "solve";
    case RunStage::Iteration: return "iteration";
    case RunStage::Advance: return "advance";
    case RunStage::Report: return "report";
  }
  THALLO_UNREACHABLE();
}

Expected<void> check_precision(const Backend& backend, std::optional<Precision> precision) {
  if (precision == Precision::Float && !backend.has_float()) {
    return fail("the backend {} computes in double alone, and float is asked for; use cpu or cuda",
                backend.name());
  }
  return {};
}

Expected<SolverOptions> solver_options(const Instance& instance, const RunRequest& request) {
  SolverOptions options =
      request.is_published ? instance.published.value_or(instance.solver) : instance.solver;
  for (const auto& [name, text] : request.solver_options)
    if (auto set = options.set(name, text, request.parts); !set) return fail(set.error());
  if (!options.chooses_linear_solver()) {
    THALLO_CHECK(request.parts.linear_solvers->lookup(options.linear_solver));
  }
  if (!options.preconditioner.empty()) {
    THALLO_CHECK(request.parts.preconditioners->lookup(options.preconditioner));
  }
  if (auto valid = options.validate(); !valid) return fail(valid.error());
  return options;
}

ProgramOptions program_options(const SolverDefaults& defaults, const SolverOptions& options,
                               const SolverParts& parts, const PassOptions& passes,
                               Precision precision) {
  const LinearSolver* solver = options.chooses_linear_solver()
                                   ? pcg_solver()
                                   : parts.linear_solvers->find(options.linear_solver);
  THALLO_ASSERT(solver != nullptr, "no linear solver '{}'", options.linear_solver);
  const Preconditioner* preconditioner = solver->eliminates()  ? block_jacobi_preconditioner()
                                         : solver->is_direct() ? no_preconditioner()
                                         : defaults.use_preconditioner.value_or(true)
                                             ? jacobi_preconditioner()
                                             : no_preconditioner();
  if (!options.preconditioner.empty() && !solver->is_direct())
    preconditioner = parts.preconditioners->find(options.preconditioner);
  THALLO_ASSERT(preconditioner != nullptr, "no preconditioner '{}'", options.preconditioner);
  return {.solver = options.solver,
          .preconditioner = preconditioner,
          .linear_solver = solver,
          .precision =
              precision == Precision::Mixed && solver->is_direct() ? Precision::Double : precision,
          .keeps_point = options.keeps_best_point(),
          .is_deterministic = options.is_deterministic,
          .passes = passes};
}

EnergyFile with_sites(const EnergyFile& file, FoundSites sites) {
  EnergyFile sited = file;
  sited.energy = with_found_intermediates(file.energy, sites);
  return sited;
}

const ConstructRegistry& constructs_of(const RunRequest& request) {
  static const ConstructRegistry none("construct");
  return request.constructs ? *request.constructs : none;
}

Expected<Schedule> schedule_of(const EnergyFile& file, const RunRequest& request,
                               const AutoTarget* target) {
  if (request.schedule_text) {
    THALLO_TRY(const auto statements, load_schedule_text(*request.schedule_text, "the schedule"));
    return read_schedule_for(file.energy, statements, constructs_of(request), target);
  }
  return choose_schedule(request.schedule, file, constructs_of(request), target);
}

Expected<Plan> plan_of(const EnergyFile& file, const RunRequest& request,
                       const AutoTarget* target) {
  THALLO_TRY(const auto schedule, schedule_of(file, request, target));
  return make_plan(file.energy, schedule, constructs_of(request));
}

Expected<Run> solve_problem(const Problem& problem, const RunRequest& request, Backend& backend) {
  return Driver(problem, request, backend).run();
}

Expected<Run> solve_problem(const Problem& problem, const RunRequest& request) {
  auto backend = make_backend(request.backend, request.device);
  if (!backend) return fail(backend.error());
  auto run = solve_problem(problem, request, **backend);
  if (run) run->backend = *std::move(backend);
  return run;
}

}  // namespace thallo
