// thallo explore PROBLEM: counts the schedules of a problem and prints them by number.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/count_check.h"
#include "core/cli/problem_options.h"
#include "core/cli/require.h"
#include "core/cli/run_options.h"
#include "core/cli/table.h"
#include "core/explore/published_space.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// Larger spaces are not searched for equal schedules.
const BigCount MaxCompared = 100'000;

struct ExploreFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string space = "published";
  CLI::Option* memory_limit = nullptr;
  bool count = false;
  std::string index;
  std::optional<std::int64_t> sample;
  std::uint64_t seed = 1;
  bool json = false;
};

// A number as long as readers of JSON agree on what it is, else a text.
Json json_of(const BigCount& count) {
  constexpr std::int64_t MaxExact = std::int64_t{1} << 53;
  if (count <= MaxExact) return static_cast<std::int64_t>(count);
  return count.str();
}

void check_selection(const ExploreFlags& flags) {
  std::vector<std::string_view> given;
  if (flags.count) given.emplace_back("--count");
  if (!flags.index.empty()) given.emplace_back("--index");
  if (flags.sample) given.emplace_back("--sample");
  if (given.size() > 1)
    throw UserError(fmt::format("{} exclude each other", fmt::join(given, " and ")));
  if (given.empty()) {
    throw UserError(
        "thallo explore cannot measure schedules yet: say --count to count them, or print some by "
        "--index or --sample");
  }
}

PublishedProfile profile_of(const ExploreFlags& flags) {
  std::vector<std::string> names = published_profile_names();
  const bool is_file = flags.space.ends_with(".toml");
  if (!is_file && std::ranges::find(names, flags.space) == names.end()) {
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
  return require(read_published_profile(flags.space));
}

void print_count(const ExploreFlags& flags, const IndexedSpace& space) {
  const std::optional<BigCount> distinct = space.num_distinct(MaxCompared);
  const std::string why_not =
      distinct ? "" : fmt::format("more than {} are not compared", MaxCompared.str());
  if (flags.json) {
    Json stages = Json::array();
    for (const StageCount& stage : space.stages()) {
      Json sites = Json::array();
      for (const SiteCount& site : stage.sites)
        sites.push_back({{"site", site.name}, {"count", json_of(site.count)}});
      stages.push_back(
          {{"stage", stage.name}, {"count", json_of(stage.count)}, {"sites", std::move(sites)}});
    }
    const Json json = {{"problem", flags.run.problem},
                       {"space", flags.space},
                       {"id", space.id()},
                       {"total", json_of(space.size())},
                       {"distinct", distinct ? json_of(*distinct) : Json()},
                       {"why_not_distinct", why_not},
                       {"stages", std::move(stages)}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}, space {}, {}\n{} schedules, {}\n\n", flags.run.problem, flags.space, space.id(),
             space.size().str(), distinct ? distinct->str() + " distinct" : why_not);
  Table table({{"stage", Table::Align::Left}, {"ways"}, {"of each", Table::Align::Left}});
  for (const StageCount& stage : space.stages()) {
    std::vector<std::string> sites;
    for (const SiteCount& site : stage.sites)
      sites.push_back(fmt::format("{} {}", site.name, site.count.str()));
    table.add({stage.name, stage.count.str(), fmt::format("{}", fmt::join(sites, ", "))});
  }
  fmt::print("{}", table.text(2));
}

// Prints schedules one after the other, as one JSON object or as texts with their numbers.
class SchedulePrinter {
 public:
  SchedulePrinter(const ExploreFlags& flags, const IndexedSpace& space,
                  const ConstructRegistry& constructs)
      : flags_(flags), space_(space), constructs_(constructs) {}

  void add(const BigCount& index) {
    const std::string name = index_text(space_.id(), index);
    const std::string text = space_.schedule(index).text(constructs_);
    if (flags_.json) {
      schedules_.push_back({{"index", name}, {"schedule", text}});
    } else {
      fmt::print("-- {}\n{}\n", name, text);
    }
  }

  void finish() {
    if (!flags_.json) return;
    const Json json = {{"problem", flags_.run.problem},
                       {"space", flags_.space},
                       {"id", space_.id()},
                       {"total", json_of(space_.size())},
                       {"schedules", std::move(schedules_)}};
    fmt::print("{}\n", json.dump(2));
  }

 private:
  const ExploreFlags& flags_;
  const IndexedSpace& space_;
  const ConstructRegistry& constructs_;
  Json schedules_ = Json::array();
};

ExitCode run_explore(Session& session, const ExploreFlags& flags) {
  check_selection(flags);
  const Problem& problem = session.problem(flags.run.problem);
  const RunRequest request = flags.run.request(session.constructs());
  const PublishedProfile profile = profile_of(flags);
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  const EnergyFile file = with_sites(require(problem.energy(options)), request.sites);
  const Instance instance = require(problem.instantiate(file.energy.as_written(), options));
  const PublishedSpace space = require(
      PublishedSpace::make(file, instance.binding, profile,
                           request.precision.value_or(instance.precision), session.constructs()));
  if (flags.count) {
    print_count(flags, space);
    return ExitCode::Ok;
  }
  SchedulePrinter printer(flags, space, session.constructs());
  if (flags.sample) {
    const auto count = static_cast<std::size_t>(*flags.sample);
    for (const BigCount& index :
         sample_indices(space.size(), count, drawing_seed(options, flags.seed)))
      printer.add(index);
  } else {
    const IndexRange range = require(parse_index_range(flags.index, space.id(), space.size()));
    for (BigCount index = range.first; index < range.end; ++index) printer.add(index);
  }
  printer.finish();
  return ExitCode::Ok;
}

}  // namespace

Command add_explore_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<ExploreFlags>();
  CLI::App* command = app.add_subcommand("explore", "count the schedules of a problem, list them");
  flags->run.add_space_flags_to(*command);
  flags->memory_limit = command->get_option("--memory-limit");
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  const std::string group = "Which schedules";
  command
      ->add_option(
          "--space", flags->space,
          "published (those of the published system), published-split (the same of single\n"
          "residuals), or the path of a .toml file [published]")
      ->type_name("NAME|FILE")
      ->group(group);
  command->add_flag("--count", flags->count, "how many there are")->group(group);
  command
      ->add_option("--index", flags->index,
                   "by number: one, or from A to below B; the ID of the space may stand before it")
      ->type_name("[ID:]A[:B]")
      ->group(group);
  command->add_option("--sample", flags->sample, "so many different ones, all equally likely")
      ->type_name("INT")
      ->check(count_check(Unlimited, 1))
      ->group(group);
  // A problem whose input is drawn has the option itself.
  if (CLI::Option* of_problem = command->get_option_no_throw("--seed")) {
    of_problem->description(
        fmt::format("{}\nAlso of the schedules drawn.", of_problem->get_description()));
  } else {
    command->add_option("--seed", flags->seed, "of the schedules drawn [1]")
        ->type_name("INT")
        ->check(count_check())
        ->group(group);
  }
  command->add_flag("--json", flags->json, "one JSON object on stdout instead of text");
  command->footer(R"(Examples:
  thallo explore image_warping --count --space published
  thallo explore image_warping --space published --index 0:3
  thallo explore bundle_fusion --space published --sample 5 --seed 7 --json)");
  return {command, [&session, flags] { return run_explore(session, *flags); }};
}

}  // namespace thallo::cli
