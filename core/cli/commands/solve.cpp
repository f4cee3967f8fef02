// thallo solve PROBLEM: runs a problem and reports the outcome.
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/run/solve_run.h"

namespace thallo::cli {
namespace {

struct SolveFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  SolveDisplay display;
};

ExitCode run_solve(Session& session, const SolveFlags& flags) {
  RunRequest request = flags.run.request(session);
  request.options = flags.problem_options->values();
  return run_and_show(session, session.problem(flags.run.problem.name), std::move(request),
                      flags.display);
}

}  // namespace

Command add_solve_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<SolveFlags>();
  CLI::App* command = app.add_subcommand("solve", "solve a problem and report how it went");
  flags->run.add_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  add_value(*command, "--out", flags->display.folder, "DIR",
            "folder for metrics.json, images and meshes")
      ->group("What to show");
  flags->display.add_to(*command);
  // A lazily evaluated footer, because it loads plugins.
  command->footer([&session] {
    return settings_help(session, SolverOptions()) + "\n" +
           R"(A problem chooses some of them itself; `thallo solve PROBLEM --verbose` prints those in effect.

Examples:
  thallo solve image_warping --out warp          the default input; pictures in ./warp
  thallo solve bundle_adjustment --file problem-16-22106-pre.txt.bz2 --double
  thallo solve curve_fit --nist Misra1a --start 2 --double --backend cpu
  thallo solve image_warping --solver lm --set nIterations=20 --set q_tolerance=1e-3

`thallo solve PROBLEM --help` adds the options of that problem.
Exit code: 0 solved, 1 ran but missed its goal, 2 request, 3 device, 4 bug.)";
  });
  return {command, [&session, flags] { return run_solve(session, *flags); }};
}

}  // namespace thallo::cli
