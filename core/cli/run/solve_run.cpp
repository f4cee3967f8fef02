#include "core/cli/run/solve_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/stop_scope.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/interrupt.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/out_folder.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/output/solve_output.h"
#include "core/cli/require.h"
#include "core/cli/startup_clock.h"
#include "core/problem/compile_timer.h"
#include "core/solve/ending.h"
#include "core/solve/summary.h"

namespace thallo::cli {
namespace {

// Returns the startup clock's name for a stage; null if startup is over.
const char* startup_phase(RunStage stage) {
  switch (stage) {
    case RunStage::Energy: return "energy";
    case RunStage::Instantiate: return "data";
    case RunStage::Compile: return "compile";
    case RunStage::Bind: return "bind";
    case RunStage::Solve: return "initial cost";
    case RunStage::Iteration:
    case RunStage::Advance:
    case RunStage::Report: return nullptr;
  }
  THALLO_UNREACHABLE();
}

// Follows a run: prints the iteration table as it grows, keeps the startup clock, shows a progress
// line while kernels are compiled and whenever the table is not printed, and makes Ctrl-C cancel
// the run but keep its report (a second Ctrl-C ends the process).
class SolveWatch {
 public:
  // If `prints_table` is set, the iteration table goes to stdout.
  SolveWatch(StartupClock& clock, bool prints_table);
  SolveWatch(const SolveWatch&) = delete;
  SolveWatch& operator=(const SolveWatch&) = delete;

  // The progress callback and the stop token to use in the request.
  void operator()(const RunProgress& progress);
  void show_compiled(std::size_t done, std::size_t total);
  std::stop_token stop() const { return interrupt_.stop(); }

 private:
  void follow_startup(const RunProgress& progress);
  void print_iteration(const RunProgress& progress);

  StartupClock& clock_;
  InterruptWatch interrupt_;
  bool prints_table_;
  bool in_startup_ = true;
  RunStage stage_ = RunStage::Energy;
  std::int64_t num_iterations_ = 0;
  ProgressBar bar_{"solving", 0};
  std::optional<ProgressBar> compile_bar_;  // present while kernels are compiled
};

SolveWatch::SolveWatch(StartupClock& clock, bool prints_table)
    : clock_(clock), prints_table_(prints_table) {}

void SolveWatch::operator()(const RunProgress& progress) {
  compile_bar_.reset();
  follow_startup(progress);
  if (progress.stage == RunStage::Iteration) {
    interrupt_.keep();
    if (prints_table_) {
      print_iteration(progress);
    } else {
      bar_.update(++num_iterations_, fmt::format("solve {}, cost {:.6e}", progress.solve + 1,
                                                 progress.iteration->cost));
    }
  } else if (!prints_table_) {
    bar_.update(num_iterations_, to_string(progress.stage));
  }
}

void SolveWatch::show_compiled(std::size_t done, std::size_t total) {
  if (done == 0) {
    bar_.clear();
    compile_bar_.emplace("compiling kernels", static_cast<std::int64_t>(total));
  }
  if (!compile_bar_) return;
  compile_bar_->update(static_cast<std::int64_t>(done));
  if (done == total) compile_bar_.reset();
}

// A stage is reported when it begins, which ends the previous stage.
void SolveWatch::follow_startup(const RunProgress& progress) {
  if (!in_startup_) return;
  if (const char* phase = startup_phase(stage_)) clock_.mark(phase);
  stage_ = progress.stage;
  in_startup_ = progress.stage != RunStage::Iteration;
}

void SolveWatch::print_iteration(const RunProgress& progress) {
  const SolverKind solver = progress.solver->solver;
  if (progress.iteration->iteration == 0) {
    if (progress.solve > 0) fmt::print("\nsolve {}\n", progress.solve + 1);
    fmt::print("{}\n", iteration_table_header(solver));
  }
  fmt::print("{}\n", iteration_table_row(solver, *progress.iteration));
  std::fflush(stdout);
}

struct Outputs {
  std::vector<std::filesystem::path> files;
  bool is_whole = true;  // false if the run was told to end before the last picture was drawn
};

Expected<Outputs> write_outputs(const Run& run, const std::string& json,
                                const std::string& folder) {
  // Even without a folder, files may have been requested by name.
  Report report = run.report;
  if (folder.empty()) report = Report{.files = std::move(report.files)};
  THALLO_TRY(const auto written, write_report(report, folder.empty() ? "." : folder));
  Outputs outputs{.is_whole = !report.is_cut && written.size() == report.num_files()};
  for (const WrittenFile& file : written) outputs.files.push_back(file.path);
  if (!folder.empty()) {
    outputs.files.push_back(std::filesystem::path(folder) / "metrics.json");
    THALLO_CHECK(write_file(outputs.files.back(), json));
  }
  return outputs;
}

// A compiler is asked for its version meanwhile, and may hang.
std::unique_ptr<Backend> open_backend(Session& session, const RunRequest& request,
                                      const std::stop_token& stop) {
  const CompileTimer timer(stop, request.compile.time_limit_seconds);
  const StopScope scope(timer.token());
  try {
    return session.backend(request.backend, request.device);
  } catch (const Stopped&) {
    if (!timer.is_over()) throw;
    throw UserError(fmt::format("opening {} took longer than the {} s that compiling may take",
                                request.backend, request.compile.time_limit_seconds));
  }
}

}  // namespace

void SolveDisplay::add_to(CLI::App& command) {
  const HelpGroup group(command, "What to show");
  command.add_flag("--json", json, "one JSON object on stdout instead of text");
  command.add_flag("-q,--quiet", quiet, "no iteration table");
  command.add_flag("-v,--verbose", verbose, "every solver option with its value, too");
}

std::string settings_help(Session& session, const SolverOptions& defaults) {
  std::string text = "Solver options, for --set:\n";
  for (const SolverOptionInfo& info : solver_option_infos(session.solver_parts())) {
    text += fmt::format("  {:<28} {} ({}) [{}]\n", info.name, info.doc, info.legal,
                        defaults.text(info.name));
  }
  return text;
}

ExitCode run_and_show(Session& session, const Problem& problem, RunRequest request,
                      const SolveDisplay& display) {
  if (!display.folder.empty()) make_out_folder(display.folder);
  SolveWatch watch(session.clock(), !display.json && !display.quiet);
  const auto backend = open_backend(session, request, watch.stop());
  // A spec named in the environment may be for another backend, so only a spec named by a flag is
  // checked.
  if (!request.device_spec.empty())
    static_cast<void>(require(named_device_spec(request.device_spec, backend->name())));

  request.progress = std::ref(watch);
  request.compile.progress = [&watch](std::size_t done, std::size_t total) {
    watch.show_compiled(done, total);
  };
  request.stop = watch.stop();
  request.sums_groups = display.json || !display.folder.empty();
  const auto run = solve_problem(problem, request, *backend);
  if (!run) throw UserError(run.error());

  const std::string json = solve_json(problem, *run, session.clock());
  if (!display.json) fmt::print("{}", solve_text(problem, *run, session.clock(), display.verbose));
  const bool writes = !display.folder.empty() || display.writes_files;
  const StopScope scope(watch.stop());  // of what draws pictures
  const Expected<Outputs> outputs =
      writes ? write_outputs(*run, json, display.folder) : Outputs{.is_whole = !run->report.is_cut};
  const std::string lacks = !outputs             ? outputs.error().message()
                            : !outputs->is_whole ? "it was told to end before all was written"
                                                 : "";
  if (display.json) {
    print_json_text(lacks.empty() ? json : solve_json(problem, *run, session.clock(), lacks));
  } else if (outputs && writes) {
    fmt::print("\nFiles\n");
    for (const auto& file : outputs->files) fmt::print("  {}\n", file.string());
  }
  const std::vector<SolverSummary>& solves = run->solution.solves;
  const bool is_cancelled = solves.back().termination == Termination::Cancelled;
  const auto failed =
      std::ranges::find(solves, Termination::DeviceFailed, &SolverSummary::termination);
  if (!outputs || (!outputs->is_whole && !is_cancelled)) throw UserError(lacks);
  if (failed != solves.end()) {
    std::fflush(stdout);
    fmt::print(stderr, "thallo: {}\n", failed->why());
    return ExitCode::Device;
  }
  const bool reached =
      ending_of(solves) <= Ending::Stopped && !is_cancelled && run->report.shortfall.empty();
  return reached ? ExitCode::Ok : ExitCode::GoalMissed;
}

}  // namespace thallo::cli
