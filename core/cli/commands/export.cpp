// thallo export PROBLEM --out DIR: writes a solver as sources that need nothing of Thallo.
#include "core/export/export.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/out_folder.h"
#include "core/cli/require.h"
#include "core/cli/run/wanted_program.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/problem/driver.h"
#include "core/schedule/plan.h"
#include "core/solve/solver.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

struct ExportFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string folder;
  bool force = false;
};

void check_folder(const ExportFlags& flags) {
  const fs::path folder = flags.folder;
  std::error_code error;
  if (flags.force || !fs::exists(folder, error) || fs::exists(folder / ExportMark, error)) return;
  if (!fs::is_directory(folder, error)) return;  // make_out_folder() says what is wrong
  if (fs::is_empty(folder, error)) return;
  throw UserError(fmt::format(
      "--out {}: it holds files that no export has written; --force writes to it all the same",
      flags.folder));
}

void write(const fs::path& file, const std::string& content) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!(std::ofstream(file, std::ios::binary) << content).flush())
    throw UserError(fmt::format("{} cannot be written", file.string()));
}

// Solves the data once, as the exported solver does. Says so if the problem would go on.
ExpectedRun run_once(const GeneratedProgram& generated, const Problem& problem, Instance instance,
                     const RunRequest& request, const DecidedProgram& decided) {
  const auto backend = require(make_cpu_backend());
  CompileOptions how = request.compile;
  how.precision = decided.program.precision;
  const auto executable = require(backend->compile(generated, how));
  require(executable->bind(instance.binding));
  const SolverSummary summary = require(solve(*executable, decided.solver));
  executable->download_unknowns(instance.binding);
  Solution solution{.backend = std::string(backend->name()), .precision = how.precision};
  solution.solves.push_back(summary);
  if (require(problem.advance(instance, 0, solution))) {
    logger("cli").warn(
        "the problem solves several times and changes its data in between; the export makes one "
        "solve, to be called for each");
  }
  return {.initial_cost = summary.initial_cost,
          .final_cost = summary.final_cost,
          .num_iterations = summary.num_iterations};
}

ExitCode run_export(Session& session, const ExportFlags& flags) {
  check_folder(flags);
  const Problem& problem = flags.run.problem.open(session);
  const RunRequest request = flags.run.request(session);
  const SupposedTarget target = supposed_target(flags.run, request);
  const std::string backend = target.backend == "auto" ? "cpu" : target.backend;
  if (backend == "interpreter")
    throw UserError("--backend interpreter: there is no export for it (legal: cpu, cuda)");
  const Dialect dialect = backend == "cuda" ? Dialect::Cuda : Dialect::C;
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  const EnergyFile file = require(problem.energy(options));
  const Instance instance = require(problem.instantiate(file.energy, options));
  const EnergyFile sited = with_sites(file, request.sites);
  WantedProgram wanted(sited, instance, request, {session, flags.run, backend, target.precision});
  const AutoTarget for_auto = wanted.auto_target();
  const Schedule schedule = require(schedule_of(sited, request, &for_auto));
  const Plan plan = require(make_plan(sited.energy, schedule, session.constructs()));
  wanted.suit(plan);
  const DecidedProgram& decided = wanted.decided();
  const GeneratedProgram generated = generate(make_program(sited.energy, plan, decided.program));
  require(check_export(generated, decided.program.precision, dialect));
  const auto files = require(
      export_solver({.generated = generated,
                     .binding = instance.binding,
                     .options = decided.solver,
                     .precision = decided.program.precision,
                     .dialect = dialect,
                     .schedule = schedule.text(session.constructs()),
                     .energy_file = file.energy.groups().front().where.file,
                     .expected = run_once(generated, problem, instance, request, decided)}));
  make_out_folder(flags.folder);
  double bytes = 0;
  for (const ExportedFile& exported : files) {
    write(fs::path(flags.folder) / exported.path, exported.content);
    bytes += static_cast<double>(exported.content.size());
  }
  fmt::print("{}: {} files, {}\n", flags.folder, files.size(), bytes_text(bytes));
  return ExitCode::Ok;
}

}  // namespace

Command add_export_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* command =
      app.add_subcommand("export", "write a solver as C++ sources that need nothing of Thallo");
  flags->run.add_program_flags_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  add_value(*command, "--out", flags->folder, "DIR", "folder for the sources")->required();
  command->add_flag("--force", flags->force, "write to a folder that holds other files");
  command->footer(R"(Examples:
  thallo export image_warping --backend cpu --out warp
  cmake -S warp -B warp/build && cmake --build warp/build && ctest --test-dir warp/build)");
  return {command, [&session, flags] { return run_export(session, *flags); }};
}

}  // namespace thallo::cli
