// Runs a problem, from its options to its report. The command line, the tests and the benchmarks
// share this.
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
  Options options;                                 // of the problem, as given by the user
  std::string backend = "auto";                    // as make_backend() takes it
  int device = 0;                                  // its ordinal
  std::string device_spec;                         // for `auto`: a file or a name; empty: measured
  const CostModel* model = &default_cost_model();  // for `auto`
  std::optional<Precision> precision;              // if unset, the instance chooses
  // Solver options by published name, as text. They override the instance's options in every solve.
  std::vector<std::pair<std::string, std::string>> solver_options;
  bool is_published = false;  // if they override Instance::published, where there is one
  SolverParts parts;          // what these can name
  CompileOptions compile;     // its precision is ignored
  // Null: no constructs are loaded, and `default` is the only schedule.
  const ConstructRegistry* constructs = nullptr;
  std::string schedule;                      // as choose_schedule() takes it
  std::optional<std::string> schedule_text;  // the text of a schedule, in place of a name
  FoundSites sites = FoundSites::Default;    // which found intermediates a schedule can store
  PassOptions passes;                        // of the generation of kernels
  bool sums_groups = false;                  // if summaries have their groups
  std::function<void(const RunProgress&)> progress;
  std::stop_token stop;
};

struct Run {
  std::unique_ptr<Backend> backend;  // null if the caller passed one
  EnergyFile file;
  Instance instance;
  Solution solution;
  Report report;
  std::unique_ptr<Executable> executable;  // in its state after the last solve
  std::string schedule;                    // text of the executable's schedule
};

// The fault of a run whose stop is requested before it has solved anything.
inline constexpr std::string_view CancelledRun = "the run was cancelled before it solved anything";

// Fails if float is requested and the backend only computes in double.
Expected<void> check_precision(const Backend& backend, std::optional<Precision> precision);

// Returns the instance's options, overridden by those in the request. If the request sets options
// of pcg but no linear solver, pcg is used.
Expected<SolverOptions> solver_options(const Instance& instance, const RunRequest& request);

// Returns the options that determine the program of a solve with `options`. What `options` leave
// open is taken from `defaults`, which come with the energy. If no linear solver is named, it is
// pcg; what is named must be in `parts`. `precision` is the one that is asked for; a linear solver
// that takes a matrix has no loop to mix it in, and computes in double.
ProgramOptions program_options(const SolverDefaults& defaults, const SolverOptions& options,
                               const SolverParts& parts = {}, const PassOptions& passes = {},
                               Precision precision = Precision::Float);

// Returns the energy as schedules see it, with the intermediates that were found in it
// (core/energy/found/intermediates.h).
EnergyFile with_sites(const EnergyFile& file, FoundSites sites);

// Returns the request's constructs, or an empty registry if it has none.
const ConstructRegistry& constructs_of(const RunRequest& request);

// Return the schedule that the request names, and its plan. `file` must be a result of
// with_sites().
Expected<Schedule> schedule_of(const EnergyFile& file, const RunRequest& request,
                               const AutoTarget* target = nullptr);
Expected<Plan> plan_of(const EnergyFile& file, const RunRequest& request,
                       const AutoTarget* target = nullptr);

// Runs a problem. If a stop is requested, the run ends with the current solve, and its report
// covers what was reached. If nothing was solved yet, compiling is ended and the run fails.
Expected<Run> solve_problem(const Problem& problem, const RunRequest& request);
// Runs on an existing backend; request.backend and request.device are ignored.
Expected<Run> solve_problem(const Problem& problem, const RunRequest& request, Backend& backend);

}  // namespace thallo
