// thallo check PROBLEM: compares the derivatives that solvers are generated from with finite
// differences of the energy, at the start of the instance.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_choice.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
#include "core/diff/check.h"
#include "core/diff/displacement.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// A derivative with a larger relative error counts as wrong. Finite differences in double usually
// reach 1e-9.
constexpr double Tolerance = 1e-6;

// Number of points drawn per group and limit on evaluated expressions, unless the user sets the
// number of points. They take some seconds, at the start and at a displaced point.
constexpr std::int64_t DefaultPoints = 300;
constexpr std::int64_t DefaultEvaluations = 50'000'000;

struct CheckFlags {
  ProblemChoice problem;
  std::unique_ptr<ProblemOptions> problem_options;
  std::optional<std::int64_t> max_points;
  bool full = false;
  std::uint64_t seed = 1;
  bool json = false;
};

Json entry_json(const CheckedEntry& entry) {
  return {{"group", entry.group},       {"residual", entry.residual}, {"point", entry.point},
          {"unknown", entry.unknown},   {"element", entry.element},   {"channel", entry.channel},
          {"analytic", entry.analytic}, {"numeric", entry.numeric}};
}

CheckOptions check_options(const CheckFlags& flags) {
  if (flags.full && flags.max_points)
    throw UserError("--full and --check-points exclude each other");
  if (flags.full) return {.seed = flags.seed};
  if (flags.max_points) return {.max_points_per_group = *flags.max_points, .seed = flags.seed};
  return {.max_points_per_group = DefaultPoints,
          .max_evaluations = DefaultEvaluations,
          .seed = flags.seed};
}

ExitCode run_check(Session& session, const CheckFlags& flags) {
  const Problem& problem = flags.problem.open(session);
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  const EnergyFile file = require(problem.energy(options));
  const Energy& energy = file.energy;
  const Instance instance = require(problem.instantiate(energy, options));
  require(instance.binding.validate(energy));

  const auto check = [&](const char* where, const Binding& binding) {
    ProgressBar bar(where, 1000);
    CheckOptions how = check_options(flags);
    how.progress = [&](double share) { bar.update(static_cast<std::int64_t>(1000 * share)); };
    return check_derivatives(energy, binding, how);
  };
  const CheckResult at_start = check("at the start", instance.binding);
  const CheckResult beside = check("displaced", displaced(energy, instance.binding, flags.seed));
  const bool start_is_worse = at_start.worst_relative_error > beside.worst_relative_error;
  const CheckResult& result = start_is_worse ? at_start : beside;
  const bool passed = result.worst_relative_error <= Tolerance;
  if (flags.json) {
    Json json = {{"problem", flags.problem.name},
                 {"worst_relative_error", result.worst_relative_error},
                 {"resolution", std::max(at_start.resolution, beside.resolution)},
                 {"tolerance", Tolerance},
                 {"passed", passed},
                 {"points", at_start.num_points + beside.num_points},
                 {"all_points", at_start.num_all_points + beside.num_all_points},
                 {"evaluations", at_start.num_evaluations + beside.num_evaluations},
                 {"checked", at_start.num_checked + beside.num_checked},
                 {"skipped", at_start.num_skipped + beside.num_skipped},
                 {"entry", nullptr}};
    if (result.worst) json["entry"] = entry_json(*result.worst);
    print_json(json);
  } else {
    fmt::print("{}, at its start: {}\n", flags.problem.name, at_start.brief());
    fmt::print("{}, displaced:    {}\n", flags.problem.name, beside.brief());
    if (at_start.num_points < at_start.num_all_points)
      fmt::print("Points were drawn at random, seed {}; --full checks all.\n", flags.seed);
    if (!passed)
      fmt::print("The derivatives do not belong to the function (above {:g}).\n", Tolerance);
  }
  return passed ? ExitCode::Ok : ExitCode::GoalMissed;
}

}  // namespace

Command add_check_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command =
      app.add_subcommand("check", "compare a problem's derivatives with finite differences");
  flags->problem.add_to(*command);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  add_count(*command, "--check-points", flags->max_points,
            "points drawn of each residual group; 0 = all [300, or as many of them as are\n"
            "checked in some seconds]");
  add_count(*command, "--check-seed", flags->seed, "of the draw and of the displacement [1]");
  command->add_flag("--full", flags->full, "all points, however long that takes");
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->footer(R"(Examples:
  thallo check image_warping            at the start, and with the unknowns moved at random
  thallo check bundle_adjustment --cameras 8 --points 100 --full

Exit code: 0, or 1 when an entry is off by more than 1e-6.)");
  return {command, [&session, flags] { return run_check(session, *flags); }};
}

}  // namespace thallo::cli
