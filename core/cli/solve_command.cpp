// thallo solve PROBLEM: runs a problem and says how it went.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/cli/command.h"
#include "core/cli/problem_options.h"
#include "core/cli/run_options.h"
#include "core/cli/solve_output.h"
#include "core/cli/solve_watch.h"
#include "core/problem/driver.h"

namespace thallo::cli {
namespace {

std::string settings_help() {
  std::string text = "Solver options, for --set:\n";
  for (const SolverOptionInfo& info : solver_option_infos()) {
    text += fmt::format("  {:<28} {} ({})\n", info.name, info.doc, info.legal);
  }
  return text;
}

struct SolveFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string out;
  bool json = false;
  bool quiet = false;
};

void write_outputs(const Run& run, const std::string& json, const std::string& folder,
                   bool prints) {
  auto written = write_report(run.report, folder);
  if (!written) throw UserError(written.error());
  written->push_back(std::filesystem::path(folder) / "metrics.json");
  if (const auto done = write_file(written->back(), json); !done) throw UserError(done.error());
  if (!prints) return;
  fmt::print("\nFiles\n");
  for (const auto& path : *written) fmt::print("  {}\n", path.string());
}

// Before the work, so that it is not lost to a folder that cannot be written.
void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError(fmt::format("--out {}: {}", folder, error.message()));
}

ExitCode run_solve(Session& session, const SolveFlags& flags) {
  const Problem& problem = session.problem(flags.run.problem);
  RunRequest request = flags.run.request();
  request.options = flags.problem_options->values();
  if (!flags.out.empty()) make_folder(flags.out);
  const auto backend = session.open_backend(flags.run.backend);

  SolveWatch watch(session.clock(), !flags.json && !flags.quiet);
  request.progress = std::ref(watch);
  request.stop = watch.stop();
  const auto run = solve_problem(problem, request, *backend);
  if (!run) throw UserError(run.error());

  const std::string json = solve_json(problem, *run, session.clock());
  fmt::print("{}", flags.json ? json : solve_text(problem, *run, session.clock()));
  if (!flags.out.empty()) write_outputs(*run, json, flags.out, !flags.json);

  if (run->solution.solves.empty()) return ExitCode::GoalMissed;
  const Termination termination = run->solution.solves.back().termination;
  const bool failed =
      termination == Termination::NonFiniteStep || termination == Termination::Cancelled;
  return failed || !run->report.shortfall.empty() ? ExitCode::GoalMissed : ExitCode::Ok;
}

}  // namespace

Command add_solve_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<SolveFlags>();
  CLI::App* command = app.add_subcommand("solve", "solve a problem and report how it went");
  flags->run.add_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  command->add_option("--out", flags->out, "folder for metrics.json, images and meshes")
      ->type_name("DIR")
      ->group("What to show");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text")
      ->group("What to show");
  command->add_flag("-q,--quiet", flags->quiet, "no iteration table")->group("What to show");
  command->footer(settings_help() + R"(
Examples:
  thallo solve image_warping --out warp          the default input; pictures in ./warp
  thallo solve bundle_adjustment --file problem-16-22106-pre.txt.bz2 --double
  thallo solve curve_fit --nist Misra1a --start 2 --double --backend cpu
  thallo solve image_warping --solver lm --set nIterations=20 --set q_tolerance=1e-3

`thallo solve PROBLEM --help` adds the options of that problem.
Exit code: 0 solved, 1 ran but missed its goal, 2 request, 3 device, 4 bug.)");
  return {command, [&session, flags] { return run_solve(session, *flags); }};
}

}  // namespace thallo::cli
