#include "core/cli/commands/explore_flags.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

// What a search does, and its options with what is legal and the default.
std::string search_options_text(const Search& search) {
  std::string text = fmt::format("{}: {}\n", search.name(), search.doc());
  const std::vector<OptionSpec> specs = search.options();
  if (specs.empty()) return text + "\nIt has no options.\n";
  text += "\nIts options, which --search-set NAME=VALUE sets:\n\n";
  Table table({left("option"), left("legal"), left("default"), left("meaning")});
  for (const OptionSpec& spec : specs)
    table.add({spec.name, legal_values(spec), to_string(spec.default_value), spec.doc});
  return text + table.text(2);
}

}  // namespace

void ExploreFlags::check_selection() const {
  if (!shard.empty() && (count || list || measure == "none")) {
    throw UserError(fmt::format("--shard has no effect with {}, which measures nothing",
                                count  ? "--count"
                                : list ? "--list"
                                       : "--measure none"));
  }
  std::vector<std::string_view> given;
  if (count) given.emplace_back("--count");
  if (!index.empty()) given.emplace_back("--index");
  if (sample) given.emplace_back("--sample");
  if (given.size() > 1)
    throw UserError(fmt::format("{} exclude each other", fmt::join(given, " and ")));
  if (count && list) throw UserError("--count and --list exclude each other");
  if (list && given.empty())
    throw UserError("--list prints schedules: say which, by --index or --sample");
}

void ExploreFlags::check_measuring() const {
  if (measure != "composed") {
    for (const CLI::Option* option : {best_option, others_option}) {
      if (option->count() > 0) {
        throw UserError(
            fmt::format("{} has no effect with --measure {}", option->get_name(), measure));
      }
    }
  }
  const std::set<int> different(devices.begin(), devices.end());
  if (different.size() < devices.size())
    throw UserError("--devices: each device measures once, and one is named twice");
  const bool uses_devices = measure == "composed" || measure == "end-to-end";
  if (!devices.empty() && !uses_devices)
    throw UserError(
        fmt::format("--devices has no effect with --measure {}, which uses no device", measure));
  if (!device_name.empty() && measure != "replay")
    throw UserError("--device-name has no effect: no times are taken from a store");
  if (measure != "none") {
    if (measure == "replay" && objective != "nonlinear") {
      throw UserError(
          fmt::format("--objective {} needs solves, and --measure replay runs none", objective));
    }
    return;
  }
  if (!store.empty())
    throw UserError("--store has no effect with --measure none, which keeps nothing");
  if (search == "timed") {
    throw UserError(
        "--search timed takes schedules from a store, which --measure none does not read: choose "
        "another search, or --measure composed");
  }
  if (objective != "nonlinear") {
    throw UserError(fmt::format(
        "--objective {} needs solves: choose --measure composed or end-to-end", objective));
  }
}

Options ExploreFlags::options_of(const Search& of) const {
  const std::vector<OptionSpec> specs = of.options();
  Options options;
  const std::string hint =
      fmt::format("as `thallo explore --help-search {}` lists them", of.name());
  for (const auto& [name, text] : parse_pairs("--search-set", search_settings, hint)) {
    const auto spec = std::ranges::find(specs, name, &OptionSpec::name);
    if (spec == specs.end()) {
      options.set(name, std::string_view(text));
      continue;
    }
    auto value = parse_option(*spec, text);
    if (!value)
      throw UserError(fmt::format("--search-set {}={}: {}", name, text, value.error().message()));
    options.set(name, *std::move(value));
  }
  return options;
}

void ExploreFlags::add_to(CLI::App& command, Session& session, const Problem* problem) {
  run.add_exploration_flags_to(command);
  memory_limit = command.get_option("--memory-limit");
  problem_options = std::make_unique<ProblemOptions>(command, problem);
  std::optional<HelpGroup> group(std::in_place, command, "Which schedules");
  add_value(command, "--space", space, "NAME|FILE",
            "full (all there are), published (those of the published system),\n"
            "published-split (the same of single residuals), or the path of a .toml file\n"
            "[full]");
  stages_option =
      add_value(command, "--stages", stages, "default|all",
                "of the full space: default, or all, which has launch shapes and other\n"
                "low-level decisions, too [default]")
          ->check(CLI::IsMember({"default", "all"}));
  command.add_flag("--count", count, "only say how many there are");
  command.add_flag("--list", list, "only print them; with --index or --sample");
  add_value(command, "--index", index, "[ID:]A[:B]",
            "by number: one, or from A to below B; the ID of the space may stand before it");
  add_count(command, "--sample", sample, "so many different ones, all equally likely", Unlimited,
            1);
  add_value(command, "--pin", pin, "FILE",
            "only schedules that decide what this .sched file decides, as it does; the rest\n"
            "is open. Counts, numbers and searches go around it");
  // If the problem draws its input, it has the option --seed itself.
  if (CLI::Option* of_problem = command.get_option_no_throw("--seed")) {
    of_problem->description(
        fmt::format("{}\nAlso of the schedules drawn.", of_problem->get_description()));
  } else {
    add_count(command, "--seed", seed, "of the schedules drawn [1]");
  }
  add_count(command, "--search-seed", search_seed,
            "of what the search draws, where the input of the problem is to stay [--seed]");
  group.emplace(command, "How they are measured");
  add_value(command, "--search", search, "NAME",
            fmt::format("which schedules are measured, and in which order [exhaustive up to\n"
                        "20,000 schedules, else greedy]\n{}",
                        SearchesInHelp));
  add_value(command, "--search-set", search_settings, "NAME=VALUE",
            "an option of the search, as often as wanted; --help-search lists them")
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--help-search",
          [&session](const std::string& name) {
            throw CallForText(search_options_text(*require(session.searches().lookup(name))));
          },
          "print the options of a search and exit")
      ->type_name("NAME");
  add_value(command, "--measure", measure, "HOW",
            "composed (each step once, alone; a schedule is the sum of its steps), end-to-end\n"
            "(whole solves of every schedule), none (predictions only: nothing is compiled, and\n"
            "no store is read or written) or replay (the times that the store has: nothing is\n"
            "compiled, what it has no time of is left out) [composed]")
      ->check(CLI::IsMember({"composed", "end-to-end", "none", "replay"}));
  add_value(command, "--objective", objective, "WHAT",
            "what is reported as fastest: nonlinear (the least time of a nonlinear iteration),\n"
            "1% or 0.1% (the least time until the cost is as near to the lowest that any\n"
            "schedule has reached; of those that are run end to end) [nonlinear]")
      ->check(CLI::IsMember({"nonlinear", "1%", "0.1%"}));
  add_value(command, "--store", store, "FILE",
            "the file that measurements are kept in, and read from [PROBLEM.store]");
  add_value(command, "--shard", shard, "I/N|slurm",
            "only shard I of N, counted from 0, of what an exhaustive or random search\n"
            "proposes; slurm: the task of a job array. `thallo store merge` joins the stores");
  add_value(command, "--device-name", device_name, "NAME",
            "of --measure replay: whose times are taken, a part of its name or its\n"
            "signature [that of all results in the store]");
  add_value(command, "--budget", budget, "TIME",
            "the time to end after: 500ms, 90, 10min, 2h [none]")
      ->transform(CLI::Validator(read_time, ""));
  command
      .add_option("--devices", devices,
                  "GPUs of one kind that measure side by side, by their ordinals in `thallo\n"
                  "devices`: 0,1 [that of --device]")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber)
      ->excludes("--device");
  add_count(command, "--jobs", jobs,
            "workers that compile; 0 = one for each core that serves no GPU [0]", MaxThreads);
  best_option =
      add_count(command, "--best", num_best, "so many of the fastest are run end to end [5]");
  others_option = add_count(command, "--others", num_random,
                            "so many others, drawn at random, are run end to end [0]");
  group.reset();
  command.add_flag("--json", json, "one JSON object on stdout instead of text");
  command.footer(R"(Examples:
  thallo explore bundle_adjustment --count
  thallo explore image_warping --count --space published
  thallo explore image_warping --space published --list --index 0:3
  thallo explore curve_fit --backend cpu
  thallo explore bundle_fusion --no-dense --space published --measure end-to-end --budget 10min)");
}

}  // namespace thallo::cli
