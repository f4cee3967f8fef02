// thallo bench [NAME ...]: runs benchmarks and prints a table of each.
// thallo bench steps PROBLEM ...: times the steps of problems one by one.
// thallo bench schedules PROBLEM: times an iteration under each of several schedules.
// thallo bench moves PROBLEM: times single decisions beside what is predicted of them.
// thallo bench auto [PROBLEM ...]: times how the schedule `auto` is chosen.
// thallo bench readers: times how text files are read.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/bench/auto.h"
#include "core/cli/bench/bench.h"
#include "core/cli/bench/moves.h"
#include "core/cli/bench/readers.h"
#include "core/cli/bench/schedules.h"
#include "core/cli/bench/steps.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/backend_options.h"
#include "core/cli/flags/count_check.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/problem_choice.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/output/json_text.h"
#include "core/problem/files/problem_file.h"

namespace thallo::cli {
namespace {

struct BenchFlags {
  std::vector<std::string> names;
  std::string backend = "auto";
  int device = 0;
  bool double_precision = false;
  bool single_precision = false;
  int num_threads = 0;
  std::string only;
  bool json = false;
};

// Used by `bench steps` and `bench auto`.
struct ProblemsFlags {
  RunOptions run;
  std::vector<std::string> problems;
  std::vector<std::string> bindings;  // for the energy texts among them
  bool json = false;
};

struct ReadersFlags {
  int num_lines = 1'000'000;
  bool json = false;
};

struct MovesFlags {
  MovesToTime wanted;
  std::unique_ptr<ProblemOptions> problem_options;
  bool json = false;
};

struct SchedulesFlags {
  SchedulesToTime wanted;
  std::unique_ptr<ProblemOptions> problem_options;
  bool json = false;
};

struct Benchmark {
  const char* name;
  DataTable (*run)(const Bench&);
  bool takes_long = false;  // true if it runs only when it is named
};
constexpr std::array<Benchmark, 5> Benchmarks = {{{"nist", bench_nist},
                                                  {"bal", bench_bal},
                                                  {"published", bench_published},
                                                  {"table", bench_iterations},
                                                  {"accuracy", bench_accuracy, true}}};

// Returns benchmarks in the order of Benchmarks; if none is named, all that do not take long.
std::vector<Benchmark> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Benchmark& benchmark : Benchmarks) known.emplace_back(benchmark.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UserError(
        Diagnostic{fmt::format("no benchmark '{}'{}", name, did_you_mean(name, known)), {}, known});
  }
  std::vector<Benchmark> benchmarks;
  for (const Benchmark& benchmark : Benchmarks) {
    const bool is_named = std::find(names.begin(), names.end(), benchmark.name) != names.end();
    if (is_named || (names.empty() && !benchmark.takes_long)) benchmarks.push_back(benchmark);
  }
  return benchmarks;
}

ExitCode run_bench(Session& session, const BenchFlags& flags) {
  if (flags.double_precision && flags.single_precision) {
    throw UserError("--double and --float exclude each other");
  }
  const auto benchmarks = chosen(flags.names);
  const auto backend = session.backend(flags.backend, flags.device);
  Bench bench{session, *backend, std::nullopt, flags.num_threads, flags.only};
  if (flags.double_precision) bench.precision = Precision::Double;
  if (flags.single_precision) bench.precision = Precision::Float;

  std::string separator = flags.json ? "{\n" : "";
  for (const Benchmark& benchmark : benchmarks) {
    const DataTable table = benchmark.run(bench);
    if (flags.json) {
      print_json_text(fmt::format("{}\"{}\": {}", separator, benchmark.name, table.json()));
      separator = ",\n";
    } else {
      fmt::print("{}{}", separator, table.markdown());
      separator = "\n";
    }
    std::fflush(stdout);
  }
  if (flags.json) fmt::print("\n}}\n");
  return ExitCode::Ok;
}

CLI::App* add_steps_command(CLI::App& bench, ProblemsFlags& flags) {
  CLI::App* command = bench.add_subcommand(
      "steps", "time each step of an iteration alone, and the linear loop beside their sum");
  command
      ->add_option(
          "PROBLEM", flags.problems,
          fmt::format("names of problems, see `thallo problems`; or energy texts ({}, .toml)",
                      EnergiesInHelp))
      ->required();
  add_bindings_to(*command, flags.bindings);
  flags.run.add_flags_to(*command);
  command->add_flag("--json", flags.json, "one JSON object on stdout instead of tables");
  command->footer(R"(Examples:
  thallo bench steps image_warping bundle_adjustment --schedule opt
  thallo bench steps denoise.lua --bind X=noisy.png --bind A=noisy.png --bind w=0.5)");
  return command;
}

// Opens the problems. Every energy text gets all bindings.
std::vector<const Problem*> open_all(Session& session, const ProblemsFlags& flags) {
  const bool has_text = std::ranges::any_of(flags.problems, [&](const std::string& name) {
    return is_energy_path(name, session.front_ends());
  });
  std::vector<const Problem*> problems;
  for (const std::string& name : flags.problems) {
    ProblemChoice choice{name, {}};
    // If there is no text, open() rejects the bindings.
    if (is_energy_path(name, session.front_ends()) || !has_text) choice.bindings = flags.bindings;
    problems.push_back(&choice.open(session));
  }
  return problems;
}

ExitCode run_steps(Session& session, const ProblemsFlags& flags) {
  bench_steps(session, open_all(session, flags), flags.run.request(session), flags.json);
  return ExitCode::Ok;
}

CLI::App* add_auto_command(CLI::App& bench, ProblemsFlags& flags) {
  CLI::App* command = bench.add_subcommand(
      "auto", "time how the schedule auto is chosen, and compare what it promises");
  command->add_option("PROBLEM", flags.problems,
                      fmt::format("names of problems, or energy texts ({}, .toml); none named: all "
                                  "problems",
                                  EnergiesInHelp));
  add_bindings_to(*command, flags.bindings);
  flags.run.add_choice_flags_to(*command);
  command->add_flag("--json", flags.json, "one JSON object on stdout instead of a table");
  command->footer(R"(Example:
  thallo bench auto image_warping shape_from_shading --device-spec h200)");
  return command;
}

CLI::App* add_readers_command(CLI::App& bench, ReadersFlags& flags) {
  CLI::App* command = bench.add_subcommand(
      "readers", "time how text files of each format are read, and how that grows with their size");
  command->add_option("--lines", flags.num_lines, "lines of the larger files [1000000]")
      ->type_name("INT")
      ->check(count_check(100'000'000, 100));
  command->add_flag("--json", flags.json, "one JSON object on stdout instead of a table");
  return command;
}

// `named` is the problem that the command line names, or null.
CLI::App* add_schedules_command(CLI::App& bench, SchedulesFlags& flags, const Problem* named) {
  CLI::App* command = bench.add_subcommand(
      "schedules", "time an iteration of a problem, or of an energy text, under each schedule");
  SchedulesToTime& wanted = flags.wanted;
  wanted.run.add_exploration_flags_to(*command);
  flags.problem_options = std::make_unique<ProblemOptions>(*command, named);
  command
      ->add_option("--schedule", wanted.names,
                   "as often as wanted, the first is what others are compared with: default, opt,\n"
                   "published-default, auto, file or the path of a .sched file [all of these that\n"
                   "there are]")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--repeats", wanted.solves,
                   "solves of each schedule, whose median is printed [3]")
      ->type_name("INT")
      ->check(count_check(1000, 1));
  command->add_flag("--json", flags.json, "one JSON object on stdout instead of a table");
  command->footer(R"(Examples:
  thallo bench schedules image_warping --schedule default --schedule opt --schedule mine.sched
  thallo bench schedules denoise.lua --bind X=noisy.png --bind A=noisy.png --bind w=0.5)");
  return command;
}

CLI::App* add_moves_command(CLI::App& bench, MovesFlags& flags, const Problem* named) {
  CLI::App* command = bench.add_subcommand(
      "moves", "time every single decision from a schedule beside what is predicted of it");
  MovesToTime& wanted = flags.wanted;
  wanted.run.add_exploration_flags_to(*command);
  flags.problem_options = std::make_unique<ProblemOptions>(*command, named);
  command
      ->add_option("--schedule", wanted.run.schedule,
                   "where the decisions start: default, opt, published-default, auto, file or the\n"
                   "path of a .sched file [file, else auto]")
      ->type_name("NAME|FILE");
  command
      ->add_option("--most", wanted.most,
                   "so many decisions, those with the largest predicted changes first [200]")
      ->type_name("INT")
      ->check(count_check(100'000, 1));
  command
      ->add_option("--repeats", wanted.solves,
                   "solves of each schedule, whose median is printed [3]")
      ->type_name("INT")
      ->check(count_check(1000, 1));
  command->add_flag("--json", flags.json, "one JSON object on stdout instead of a table");
  command->footer(R"(Examples:
  thallo bench moves image_warping --schedule published-default
  thallo bench moves bundle_fusion --schedule auto --most 20)");
  return command;
}

void print_single(const DataTable& table, bool json) {
  json ? fmt::print("{{\n\"{}\": {}\n}}\n", table.name(), table.json())
       : fmt::print("{}", table.markdown());
}

ExitCode run_schedules(Session& session, const SchedulesFlags& flags) {
  SchedulesToTime wanted = flags.wanted;
  wanted.options = flags.problem_options->values();
  print_single(bench_schedules(session, wanted), flags.json);
  return ExitCode::Ok;
}

ExitCode run_moves(Session& session, const MovesFlags& flags) {
  MovesToTime wanted = flags.wanted;
  wanted.options = flags.problem_options->values();
  print_single(bench_moves(session, wanted), flags.json);
  return ExitCode::Ok;
}

ExitCode run_auto(Session& session, const ProblemsFlags& flags) {
  ProblemsFlags named = flags;
  if (named.problems.empty())
    for (const auto* entry : session.problems().entries()) named.problems.push_back(entry->name);
  print_single(bench_auto(session, open_all(session, named), flags.run), flags.json);
  return ExitCode::Ok;
}

}  // namespace

Command add_bench_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand("bench", "measure; print tables in markdown");
  command->add_option("NAME", flags->names,
                      "nist       digits of curve_fit against NIST's certified values\n"
                      "bal        bundle_adjustment: time to the optimum, two preconditioners\n"
                      "published  published inputs and counts: costs and times\n"
                      "table      what an iteration costs: time, launches, GB/s\n"
                      "accuracy   when each linear solver is near the optimum; takes long\n"
                      "none named: all but accuracy");
  command
      ->add_option("--only", flags->only,
                   "of published and accuracy, the cases whose names contain this")
      ->type_name("TEXT");
  add_backend_options(*command, flags->backend, flags->device, "Options");
  command->add_flag("--double", flags->double_precision, "everything in double");
  command->add_flag("--float", flags->single_precision, "everything in float");
  command->add_option("--threads", flags->num_threads, "threads of the cpu backend; 0 = all [0]")
      ->type_name("INT")
      ->check(count_check(MaxThreads));
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of tables");
  command->footer(
      R"(Real data are read from the folder that THALLO_DATA_DIR names (nist/*.dat, bal/*.txt.bz2,
opt_thallo, meshes); where they are absent, generated input is used or the case is left out.)");
  auto steps_flags = std::make_shared<ProblemsFlags>();
  const CLI::App* steps = add_steps_command(*command, *steps_flags);
  auto auto_flags = std::make_shared<ProblemsFlags>();
  const CLI::App* choosing = add_auto_command(*command, *auto_flags);
  auto readers_flags = std::make_shared<ReadersFlags>();
  const CLI::App* readers = add_readers_command(*command, *readers_flags);
  auto schedules_flags = std::make_shared<SchedulesFlags>();
  const CLI::App* schedules = add_schedules_command(*command, *schedules_flags, problem);
  auto moves_flags = std::make_shared<MovesFlags>();
  const CLI::App* moves = add_moves_command(*command, *moves_flags, problem);
  return {command, [&session, flags, steps, steps_flags, choosing, auto_flags, readers,
                    readers_flags, schedules, schedules_flags, moves, moves_flags] {
            if (steps->parsed()) return run_steps(session, *steps_flags);
            if (schedules->parsed()) return run_schedules(session, *schedules_flags);
            if (moves->parsed()) return run_moves(session, *moves_flags);
            if (choosing->parsed()) return run_auto(session, *auto_flags);
            if (readers->parsed()) {
              print_single(bench_readers(readers_flags->num_lines), readers_flags->json);
              return ExitCode::Ok;
            }
            return run_bench(session, *flags);
          }};
}

}  // namespace thallo::cli
