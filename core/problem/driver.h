// Runs a problem from its options to its report. The CLI, the tests and the benchmarks share this.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/energy/found/intermediates.h"
#include "core/problem/choose_schedule.h"
#include "core/problem/problem.h"
#include "core/schedule/precision.h"
#include "core/solve/solver.h"

namespace thallo {

struct ProgramOptions;

enum class RunStage { Energy, Instantiate, Compile, Bind, Solve, Iteration, Advance, Report };
std::string_view to_string(RunStage stage);

// Progress of a run. `iteration` is set in stage Iteration only and valid during the call.
struct RunProgress {
  RunStage stage = RunStage::Energy;
  int solve = 0;  // from 0
  const IterationRecord* iteration = nullptr;
  // Set in stages Solve and Iteration: the options that the solve was started with.
  const SolverOptions* solver = nullptr;
};

struct RunRequest {
  Options options;                     // of the problem, as the user gave them
  std::string backend = "auto";        // see make_backend()
  int device = 0;                      // its ordinal
  std::string device_spec;             // which `auto` goes by: a file or a name; empty: measured
  std::optional<Precision> precision;  // unset: the instance's choice
  // Solver options by published name and text; they win over the instance's, in every solve.
  std::vector<std::pair<std::string, std::string>> solver_options;
  const LinearSolverRegistry* linear_solvers = nullptr;  // null: Thallo's own
  CompileOptions compile;                                // its precision is not used
  // Null: no constructs are loaded, and `default` is the only schedule.
  const ConstructRegistry* constructs = nullptr;
  std::string schedule;                      // see choose_schedule()
  std::optional<std::string> schedule_text;  // a schedule itself, instead of a choice
  FoundSites sites = FoundSites::Default;    // which found intermediates a schedule can store
  std::function<void(const RunProgress&)> progress;
  std::stop_token stop;
};

struct Run {
  std::unique_ptr<Backend> backend;  // null when the caller passed one
  EnergyFile file;
  Instance instance;
  Solution solution;
  Report report;
  std::unique_ptr<Executable> executable;  // as the last solve left it
  std::string schedule;                    // that of the executable, as text
};

// Why a run whose stop is requested fails before it has solved anything.
inline constexpr std::string_view CancelledRun = "the run was cancelled before it solved anything";

// Fails if float is asked for and the backend computes in double alone.
Expected<void> check_precision(const Backend& backend, std::optional<Precision> precision);

// The instance's options, overridden by those that the request sets. Who sets options of pcg and no
// linear solver wants pcg.
Expected<SolverOptions> solver_options(const Instance& instance, const RunRequest& request);

// What decides which program a solve with `options` runs; `defaults`, which come with the energy,
// choose what `options` leave open. A linear solver that is left open is pcg, one that is named
// must be among `solvers`.
ProgramOptions program_options(const SolverDefaults& defaults, const SolverOptions& options,
                               const LinearSolverRegistry& solvers = own_linear_solvers());

// The energy as schedules see it: with the intermediates that are found in it
// (core/energy/found/intermediates.h).
EnergyFile with_sites(const EnergyFile& file, FoundSites sites);

// What the request is carried out with where it names none of its own.
const ConstructRegistry& constructs_of(const RunRequest& request);
const LinearSolverRegistry& linear_solvers_of(const RunRequest& request);

// The schedule that the request names, and its plan. `file` is the result of with_sites().
Expected<Schedule> schedule_of(const EnergyFile& file, const RunRequest& request,
                               const AutoTarget* target = nullptr);
Expected<Plan> plan_of(const EnergyFile& file, const RunRequest& request,
                       const AutoTarget* target = nullptr);

// A problem ready for its first solve: no solves and no report yet, and an executable
// that is bound.
struct PreparedRun {
  Run run;
  SolverOptions options;  // of that solve
};
Expected<PreparedRun> prepare_problem(const Problem& problem, const RunRequest& request,
                                      Backend& backend);

// A run whose stop is requested ends with the solve that is under way, with a report of what was
// reached. Before the first solve nothing is; then it fails, and ends what is compiled.
Expected<Run> solve_problem(const Problem& problem, const RunRequest& request);
// With a backend that exists already; request.backend and device are not used.
Expected<Run> solve_problem(const Problem& problem, const RunRequest& request, Backend& backend);

}  // namespace thallo
