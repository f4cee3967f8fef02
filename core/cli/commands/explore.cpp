// thallo explore PROBLEM: searches the schedules of a problem, counts them, or prints
// them by number.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/count_check.h"
#include "core/cli/exploration_run.h"
#include "core/cli/help_formatter.h"
#include "core/cli/problem_options.h"
#include "core/cli/quantity_check.h"
#include "core/cli/ranks.h"
#include "core/cli/require.h"
#include "core/cli/run_options.h"
#include "core/cli/search_options.h"
#include "core/cli/space_output.h"
#include "core/explore/space/explored_space.h"

namespace thallo::cli {
namespace {

struct ExploreFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string space{FullSpaceName};
  std::string stages = "default";
  CLI::Option* memory_limit = nullptr;
  CLI::Option* stages_option = nullptr;
  bool count = false;
  bool list = false;
  std::string search;
  std::vector<std::string> search_settings;  // "name=value"
  std::vector<std::string> ablated;          // switches of the search
  std::string measure = "composed";
  std::string objective = "nonlinear";
  CLI::Option* best_option = nullptr;
  CLI::Option* others_option = nullptr;
  std::string shard;
  std::string store;
  std::string device_name;
  bool markdown = false;
  double budget = 0;
  int jobs = 0;
  std::vector<int> devices;
  int num_best = 5;
  int num_random = 0;
  std::string index;
  std::optional<std::int64_t> sample;
  std::uint64_t seed = 1;
  bool json = false;
};

// The problem and its schedules.
struct Explored {
  EnergyFile file;
  Instance instance;
  Precision precision = Precision::Float;
  std::uint64_t seed = 1;
  const ConstructRegistry& constructs;
};

void check_selection(const ExploreFlags& flags) {
  if (!flags.shard.empty() && (flags.count || flags.list || flags.measure == "none")) {
    throw UserError(fmt::format("--shard has no effect with {}, which measures nothing",
                                flags.count  ? "--count"
                                : flags.list ? "--list"
                                             : "--measure none"));
  }
  std::vector<std::string_view> given;
  if (flags.count) given.emplace_back("--count");
  if (!flags.index.empty()) given.emplace_back("--index");
  if (flags.sample) given.emplace_back("--sample");
  if (given.size() > 1)
    throw UserError(fmt::format("{} exclude each other", fmt::join(given, " and ")));
  if (flags.count && flags.list) throw UserError("--count and --list exclude each other");
  if (flags.list && given.empty())
    throw UserError("--list prints schedules: say which, by --index or --sample");
}

void check_measuring(const ExploreFlags& flags) {
  if (flags.measure != "composed") {
    for (const CLI::Option* option : {flags.best_option, flags.others_option}) {
      if (option->count() > 0) {
        throw UserError(
            fmt::format("{} has no effect with --measure {}", option->get_name(), flags.measure));
      }
    }
  }
  const std::set<int> devices(flags.devices.begin(), flags.devices.end());
  if (devices.size() < flags.devices.size())
    throw UserError("--devices: each device measures once, and one is named twice");
  const bool uses_devices = flags.measure == "composed" || flags.measure == "end-to-end";
  if (!flags.devices.empty() && !uses_devices)
    throw UserError(fmt::format("--devices has no effect with --measure {}, which uses no device",
                                flags.measure));
  const bool is_looked_up =
      flags.measure == "replay" || (!flags.ablated.empty() && !flags.store.empty());
  if (!flags.device_name.empty() && !is_looked_up)
    throw UserError("--device-name has no effect: no times are taken from a store");
  if (flags.markdown && (flags.ablated.empty() || flags.json)) {
    throw UserError(flags.json ? "--json and --markdown exclude each other"
                               : "--markdown is for the table of --ablate");
  }
  if (flags.measure != "none") {
    if (!flags.ablated.empty())
      throw UserError("--ablate compares predicted times: choose --measure none");
    if (flags.measure == "replay" && flags.objective != "nonlinear") {
      throw UserError(fmt::format("--objective {} needs solves, and --measure replay runs none",
                                  flags.objective));
    }
    return;
  }
  if (!flags.store.empty() && flags.ablated.empty())
    throw UserError("--store has no effect with --measure none, which keeps nothing");
  if (flags.search == "timed") {
    throw UserError(
        "--search timed takes schedules from a store, which --measure none does not read: choose "
        "another search, or --measure composed");
  }
  if (flags.objective != "nonlinear") {
    throw UserError(fmt::format(
        "--objective {} needs solves: choose --measure composed or end-to-end", flags.objective));
  }
}

PublishedProfile profile_of(const ExploreFlags& flags) {
  std::vector<std::string> names = published_profile_names();
  const bool is_file = flags.space.ends_with(".toml");
  if (!is_file && std::ranges::find(names, flags.space) == names.end()) {
    names.emplace(names.begin(), FullSpaceName);
    const std::string hint = did_you_mean(flags.space, names);
    names.emplace_back("the path of a .toml file");
    throw UserError(
        Diagnostic{fmt::format("--space: there is no space '{}'{}", flags.space, hint), {}, names});
  }
  if (flags.memory_limit->count() > 0) {
    throw UserError(
        fmt::format("--memory-limit has no effect in space {}, which has a memory limit of its own",
                    flags.space));
  }
  if (flags.stages_option->count() > 0) {
    throw UserError(
        fmt::format("--stages has no effect in space {}, whose low-level stage is at its defaults",
                    flags.space));
  }
  return require(read_published_profile(flags.space));
}

SpaceTitle title_of(const ExploreFlags& flags, std::string id) {
  return {flags.run.problem.name, flags.space, std::move(id)};
}

ExplorationRequest exploration_of(Session& session, const ExploreFlags& flags,
                                  const Explored& explored) {
  const RunRequest request = flags.run.request(session);
  ExplorationRequest exploration{
      .target = {.problem = flags.run.problem.name,
                 .bindings = flags.run.problem.sources(),
                 .options = flags.problem_options->values(),
                 .backend = flags.run.backend,
                 .device = flags.run.device,
                 .model = std::string(request.model->name()),
                 .device_spec = flags.run.device_spec,
                 .precision = request.precision,
                 .solver_options = request.solver_options,
                 .sites = request.sites,
                 .memory_limit = request.compile.memory_limit,
                 .num_threads = request.compile.num_threads,
                 .plugin_path = session.plugin_path()},
      .samples = flags.sample,
      .seed = explored.seed,
      .measurer = {.resources = {.store =
                                     flags.store.empty() ? flags.run.problem.store() : flags.store,
                                 .jobs = flags.jobs,
                                 .devices = flags.devices},
                   .measure = flags.measure == "end-to-end" ? MeasureBy::Solves : MeasureBy::Steps,
                   .objective = require(parse_objective(flags.objective))},
      .num_best = flags.num_best,
      .num_random = flags.num_random};
  if (flags.budget > 0) {
    exploration.measurer.resources.budget =
        std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * flags.budget));
  }
  if (!flags.shard.empty()) exploration.shard = require(parse_shard(flags.shard));
  exploration.search = !flags.search.empty() ? flags.search : flags.sample ? "random" : "";
  return exploration;
}

// Measures schedules of a space. `space` is null if schedules have no numbers.
ExitCode explore_space(Session& session, const ExploreFlags& flags, const Explored& explored,
                       const IndexedSpace* space, const Ranks& ranks) {
  ExplorationRequest request = exploration_of(session, flags, explored);
  request.measurer.resources.measuring = ranks.worker_starts();
  check_measuring(flags);
  request.space = space;
  request.space_name = flags.space;
  if (!flags.index.empty()) {
    if (space == nullptr) throw UserError("--index: schedules of this space have no numbers");
    const IndexRange range = require(parse_index_range(flags.index, space->id(), space->size()));
    request.first = range.first;
    request.end = range.end;
  }
  // Larger spaces are searched instead of measured exhaustively.
  constexpr int LargestExhaustive = 20'000;
  const bool is_small = space != nullptr && (request.first || space->size() <= LargestExhaustive);
  if (request.search.empty()) {
    if (!is_small && flags.space != FullSpaceName) {
      throw UserError(
          fmt::format("space {} has {} schedules: choose some by --sample or --index, or all of "
                      "them by --search exhaustive",
                      flags.space, space->size().str()));
    }
    request.search = is_small ? "exhaustive" : "greedy";
  }
  request.search_options = read_search_options(*require(session.searches().lookup(request.search)),
                                               flags.search_settings);
  require(check_search(session.searches(), request));
  const StoredTimesOptions stored{.device = {flags.device_name, flags.run.backend},
                                  .device_spec = flags.run.device_spec};
  if (!flags.ablated.empty()) {
    return run_ablation(session, std::move(request), flags.ablated,
                        flags.store.empty() ? std::nullopt : std::optional(stored),
                        flags.json       ? AblationFormat::Json
                        : flags.markdown ? AblationFormat::Markdown
                                         : AblationFormat::Text);
  }
  if (flags.measure == "replay") return run_replay(session, std::move(request), stored, flags.json);
  return (flags.measure == "none" ? run_prediction : run_exploration)(session, std::move(request),
                                                                      flags.json);
}

void print_some(const ExploreFlags& flags, const Explored& explored, const IndexedSpace& space) {
  std::vector<PrintedSchedule> printed;
  const auto add = [&](const BigCount& index) {
    printed.push_back(
        {index_text(space.id(), index), space.schedule(index).text(explored.constructs)});
  };
  if (flags.sample) {
    const auto count = static_cast<std::size_t>(*flags.sample);
    for (const BigCount& index : sample_indices(space.size(), count, explored.seed)) add(index);
  } else {
    const IndexRange range = require(parse_index_range(flags.index, space.id(), space.size()));
    for (BigCount index = range.first; index < range.end; ++index) add(index);
  }
  print_schedules(title_of(flags, space.id()), printed, flags.json);
}

// Prints schedules of a space without numbers: draws them by choosing at each site, as `verify`
// does.
void print_drawn(const ExploreFlags& flags, const Explored& explored, const std::string& id) {
  const ScheduleSpace space(explored.file.energy, explored.constructs, explored.precision);
  std::vector<PrintedSchedule> printed;
  for (std::int64_t i = 0; i < *flags.sample; ++i) {
    const std::uint64_t seed = explored.seed + static_cast<std::uint64_t>(i);
    printed.push_back(
        {fmt::format("seed {}", seed), space.sample(seed).schedule.text(explored.constructs)});
  }
  print_schedules(title_of(flags, id), printed, flags.json);
}

ExitCode list_schedules(const ExploreFlags& flags, const Explored& explored,
                        const ExploredSpace& space) {
  if (space.indexed() != nullptr) {
    print_some(flags, explored, *space.indexed());
  } else if (flags.sample) {
    print_drawn(flags, explored, space.id());
  } else {
    throw UserError(fmt::format("--index: schedules of this space have no numbers, for {}",
                                space.full_count()->why_no_space));
  }
  return ExitCode::Ok;
}

ExitCode count_schedules(const ExploreFlags& flags, const ExploredSpace& space) {
  const SpaceTitle title = title_of(flags, space.id());
  if (space.full_count() != nullptr)
    print_count(title, *space.full_count(), flags.json);
  else
    print_count(title, *space.indexed(), flags.json);
  return ExitCode::Ok;
}

ExitCode run_explore(Session& session, const ExploreFlags& flags) {
  check_selection(flags);
  const Ranks ranks(session, !flags.count && !flags.list && flags.measure != "none");
  if (ranks.end()) return *ranks.end();
  const Problem& problem = flags.run.problem.open(session);
  const RunRequest request = flags.run.request(session);
  const auto profile =
      flags.space == FullSpaceName ? std::nullopt : std::optional(profile_of(flags));
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  EnergyFile file = with_sites(require(problem.energy(options)), request.sites);
  Instance instance = require(problem.instantiate(file.energy.as_written(), options));
  const Precision precision = request.precision.value_or(instance.precision);
  const Explored explored = {std::move(file), std::move(instance), precision,
                             drawing_seed(options, flags.seed), session.constructs()};
  // To number the schedules is worth a quarter of the budget; they can be explored without. Shards
  // must all have numbers or none, since random draws depend on it.
  CountLimits limits;
  if (flags.budget > 0 && flags.shard.empty())
    limits.max_seconds = std::min(limits.max_seconds, flags.budget / 4);
  const auto space = require(ExploredSpace::make(explored.file, explored.instance.binding,
                                                 precision, explored.constructs, profile,
                                                 {.has_low_level = flags.stages == "all",
                                                  .memory_limit = flags.run.memory_limit,
                                                  .limits = limits,
                                                  .seed = explored.seed}));
  if (flags.count) return count_schedules(flags, *space);
  if (flags.list) return list_schedules(flags, explored, *space);
  return explore_space(session, flags, explored, space->indexed(), ranks);
}

}  // namespace

Command add_explore_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<ExploreFlags>();
  CLI::App* command = app.add_subcommand(
      "explore", "search the schedules of a problem for fast ones; count them, list them");
  flags->run.add_exploration_flags_to(*command);
  flags->memory_limit = command->get_option("--memory-limit");
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  const std::string group = "Which schedules";
  command
      ->add_option("--space", flags->space,
                   "full (all there are), published (those of the published system),\n"
                   "published-split (the same of single residuals), or the path of a .toml file\n"
                   "[full]")
      ->type_name("NAME|FILE")
      ->group(group);
  flags->stages_option =
      command
          ->add_option("--stages", flags->stages,
                       "of the full space: default, or all, which has launch shapes and other\n"
                       "low-level decisions, too [default]")
          ->type_name("default|all")
          ->check(CLI::IsMember({"default", "all"}))
          ->group(group);
  command->add_flag("--count", flags->count, "only say how many there are")->group(group);
  command->add_flag("--list", flags->list, "only print them; with --index or --sample")
      ->group(group);
  command
      ->add_option("--index", flags->index,
                   "by number: one, or from A to below B; the ID of the space may stand before it")
      ->type_name("[ID:]A[:B]")
      ->group(group);
  command->add_option("--sample", flags->sample, "so many different ones, all equally likely")
      ->type_name("INT")
      ->check(count_check(Unlimited, 1))
      ->group(group);
  // If the problem draws its input, it has the option --seed itself.
  if (CLI::Option* of_problem = command->get_option_no_throw("--seed")) {
    of_problem->description(
        fmt::format("{}\nAlso of the schedules drawn.", of_problem->get_description()));
  } else {
    command->add_option("--seed", flags->seed, "of the schedules drawn [1]")
        ->type_name("INT")
        ->check(count_check())
        ->group(group);
  }
  const std::string measuring = "How they are measured";
  command
      ->add_option(
          "--search", flags->search,
          fmt::format("which schedules are measured, and in which order [exhaustive up to\n"
                      "20,000 schedules, else greedy]\n{}",
                      SearchesInHelp))
      ->type_name("NAME")
      ->group(measuring);
  command
      ->add_option("--search-set", flags->search_settings,
                   "an option of the search, as often as wanted; --help-search lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(measuring);
  command
      ->add_option("--ablate", flags->ablated,
                   "with --measure none: run the search with these switches of it on and off, in\n"
                   "all combinations, and compare; with --store also what it has of the chosen")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(measuring);
  command
      ->add_option_function<std::string>(
          "--help-search",
          [&session](const std::string& name) {
            throw CallForText(search_options_text(*require(session.searches().lookup(name))));
          },
          "print the options of a search and exit")
      ->type_name("NAME")
      ->group(measuring);
  command
      ->add_option(
          "--measure", flags->measure,
          "composed (each step once, alone; a schedule is the sum of its steps), end-to-end\n"
          "(whole solves of every schedule), none (predictions only: nothing is compiled, and\n"
          "no store is read or written) or replay (the times that the store has: nothing is\n"
          "compiled, what it has no time of is left out) [composed]")
      ->check(CLI::IsMember({"composed", "end-to-end", "none", "replay"}))
      ->type_name("HOW")
      ->group(measuring);
  command
      ->add_option(
          "--objective", flags->objective,
          "what is reported as fastest: nonlinear (the least time of a nonlinear iteration),\n"
          "1% or 0.1% (the least time until the cost is as near to the lowest that any\n"
          "schedule has reached; of those that are run end to end) [nonlinear]")
      ->check(CLI::IsMember({"nonlinear", "1%", "0.1%"}))
      ->type_name("WHAT")
      ->group(measuring);
  command
      ->add_option("--store", flags->store,
                   "the file that measurements are kept in, and read from [PROBLEM.store]")
      ->type_name("FILE")
      ->group(measuring);
  command
      ->add_option(
          "--shard", flags->shard,
          "only shard I of N, counted from 0, of what an exhaustive or random search\n"
          "proposes; slurm: the task of a job array. `thallo store merge` joins the stores")
      ->type_name("I/N|slurm")
      ->group(measuring);
  command
      ->add_option("--device-name", flags->device_name,
                   "of --measure replay: whose times are taken, a part of its name or its\n"
                   "signature [that of all results in the store]")
      ->type_name("NAME")
      ->group(measuring);
  command
      ->add_option("--budget", flags->budget, "the time to end after: 500ms, 90, 10min, 2h [none]")
      ->transform(CLI::Validator(read_time, ""))
      ->type_name("TIME")
      ->group(measuring);
  command
      ->add_option("--devices", flags->devices,
                   "GPUs of one kind that measure side by side, by their ordinals in `thallo\n"
                   "devices`: 0,1 [that of --device]")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber)
      ->excludes("--device")
      ->group(measuring);
  command
      ->add_option("--jobs", flags->jobs,
                   "workers that compile; 0 = one for each core that serves no GPU [0]")
      ->type_name("INT")
      ->check(count_check(MaxThreads))
      ->group(measuring);
  flags->best_option =
      command
          ->add_option("--best", flags->num_best, "so many of the fastest are run end to end [5]")
          ->type_name("INT")
          ->check(count_check())
          ->group(measuring);
  flags->others_option = command
                             ->add_option("--others", flags->num_random,
                                          "so many others, drawn at random, are run end to end [0]")
                             ->type_name("INT")
                             ->check(count_check())
                             ->group(measuring);
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->add_flag("--markdown", flags->markdown, "the table of --ablate as Markdown");
  command->footer(R"(Examples:
  thallo explore bundle_adjustment --count
  thallo explore image_warping --count --space published
  thallo explore image_warping --space published --list --index 0:3
  thallo explore curve_fit --backend cpu
  thallo explore bundle_fusion --no-dense --space published --measure end-to-end --budget 10min)");
  return {command, [&session, flags] { return run_explore(session, *flags); }};
}

}  // namespace thallo::cli
