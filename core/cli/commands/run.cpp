// thallo run ENERGY.lua: runs an energy text on the user's files.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/problem_choice.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/require.h"
#include "core/cli/run/solve_run.h"
#include "core/problem/energy_problem.h"
#include "core/problem/files/data_part.h"
#include "core/problem/files/problem_file.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

struct RunFlags {
  std::vector<std::string> outputs;  // "NAME=FILE" or "DIR"
  RunOptions run;
  SolveDisplay display;
};

EnergyProblemSpec complete_spec(Session& session, const RunFlags& flags, SolveDisplay& display) {
  const ProblemChoice& energy = flags.run.problem;
  std::error_code error;
  if (!is_energy_path(energy.name, session.front_ends()) && !fs::exists(energy.name, error)) {
    throw UserError(fmt::format(
        "{}: there is no such file; `thallo run` takes an energy text (problems that `thallo "
        "problems` lists are run by `thallo solve`)",
        energy.name));
  }
  EnergyProblemSpec spec =
      require(read_energy_problem(energy.name, energy.sources(), session.front_ends()));
  std::vector<SourceText> files;
  for (const std::string& text : flags.outputs) {
    if (text.find('=') == std::string::npos) {
      if (!display.folder.empty())
        throw UserError(
            fmt::format("--out {} and --out {}: there is one folder", display.folder, text));
      display.folder = text;
      continue;
    }
    const SourceText pair = parse_pair("--out", text, "e.g. --out X=result.png");
    // The path is relative to the working directory, not to the folder that another --out may name.
    files.push_back({pair.name, fs::absolute(pair.source).lexically_normal().string()});
  }
  // The files of the command line replace those that the .toml file has for the same unknown.
  std::erase_if(spec.outputs, [&](const SourceText& old) {
    return std::ranges::find(files, old.name, &SourceText::name) != files.end();
  });
  spec.outputs.insert(spec.outputs.end(), files.begin(), files.end());
  spec.write_all = !display.folder.empty() && spec.write_all;
  display.writes_files = !spec.outputs.empty();
  return spec;
}

ExitCode run_energy(Session& session, const RunFlags& flags) {
  SolveDisplay display = flags.display;
  const EnergyProblem problem(complete_spec(session, flags, display));
  const ExitCode code = run_and_show(session, problem, flags.run.request(session), display);
  if (!display.writes_files && display.folder.empty() && !display.json)
    fmt::print("\nNothing is written; --out DIR or --out NAME=FILE does.\n");
  return code;
}

std::string footer(Session& session) {
  return fmt::format(R"(What --bind NAME takes, by what NAME is in the energy:
  unknown, array  a file; FILE:PART.CHANNEL for a part of one; a number, or one a channel (0,0,1);
                  zeros; ones; ramp (channel k is coordinate k; ramp.0 is the first alone);
                  random (from -1 to 1; 0 or 1 of integers; the same ones each time)
  param           a number
  sparse map      a file of indices: FILE:edges.0, FILE:rings.2, FILE:triangles.1, a table;
                  random; nearby (points of similar numbers)
  dim             a number, where no file has the extent
An unknown that is not bound starts at zero. Extents come from the files.

Parts (the first is taken where none is named) and their channels:
{}
Each file may be compressed (.gz .bz2 .xz); formats are told by content, not by name.

Outputs have the format of what the unknown was bound to: an image gives an image, a mesh the mesh
with new positions, a graph the graph with new poses. FILE decides: X=result.pfm, X=result.npy.

A file ENERGY.toml beside ENERGY.lua holds the same, and makes it a problem:
  [bind]                        [solver]                 [out]
  X = "noisy.png"               nIterations = 20         X = "clean.png"
  w = 0.5
Then `thallo run ENERGY.lua` needs no flags, and `thallo problems --plugin-path DIR` lists it when
the files are in DIR or in a folder in DIR; solve, check and print take it by its name.
check, print, explain, explore, report, verify, bench schedules and bench moves take ENERGY.lua and --bind, too.

{}
Examples:
  thallo run denoise.lua --bind X=noisy.png --bind A=noisy.png --bind w=0.5 --out X=clean.png
  thallo run denoise.lua --bind X=noisy.png:gray --bind A=noisy.png:gray --bind w=0.5 --out clean
  thallo run smooth.lua --bind X=bunny.ply --bind A=bunny.ply --bind w_fit=0.1 \
      --bind V0=bunny.ply:edges.0 --bind V1=bunny.ply:edges.1 --out X=smooth.ply
  thallo run cotangent.lua --bind X=bunny.ply --bind V0=bunny.ply:rings.0 \
      --bind V1=bunny.ply:rings.1 --bind V2=bunny.ply:rings.2 --bind V3=bunny.ply:rings.3
  thallo run warp.lua --bind Offset=ramp --bind Angle=zeros --bind Mask=mask.png --solver lm
  thallo run line.lua --bind m=0 --bind x=points.csv:time --bind y=points.csv:height --double)",
                     parts_help(), settings_help(session, SolverOptions::until_converged()));
}

}  // namespace

Command add_run_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* command = app.add_subcommand("run", "run an energy text on files of your own");
  command
      ->add_option("ENERGY", flags->run.problem.name,
                   fmt::format("energy text ({}), or a .toml that names one", EnergiesInHelp))
      ->required();
  add_bindings_to(*command, flags->run.problem.bindings);
  command->get_option("--bind")->description("an input, as often as needed; see below");
  add_value(*command, "-o,--out", flags->outputs, "NAME=FILE|DIR",
            "a file for an unknown, or a folder for all, metrics.json included")
      ->allow_extra_args(false);
  flags->run.add_flags_to(*command);
  flags->display.add_to(*command);
  command->footer([&session] { return footer(session); });  // lazy, because it loads plugins
  return {command, [&session, flags] { return run_energy(session, *flags); }};
}

}  // namespace thallo::cli
