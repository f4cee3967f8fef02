#include "core/cli/output/space_output.h"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// Larger spaces are not checked for equal schedules.
const BigCount MaxCompared = 100'000;

// Writes a number if it is small enough for all JSON readers to read exactly, otherwise a text.
Json json_of(const BigCount& count) {
  constexpr std::int64_t MaxExact = std::int64_t{1} << 53;
  if (count <= MaxExact) return static_cast<std::int64_t>(count);
  return count.str();
}

Json json_head(const SpaceTitle& title) {
  return {
      {"problem", title.problem}, {"space", title.space}, {"id", title.id}, {"pins", title.pins}};
}

void print_head(const SpaceTitle& title) {
  fmt::print("{}, space {}, {}\n", title.problem, title.space, title.id);
  print_pins(title.pins);
}

// Formats a count that may exceed the range of a double: "1.23e+45".
std::string short_count(const BigCount& count) {
  const std::string digits = count.str();
  if (digits.size() <= 7) return digits;
  return fmt::format("{}.{}e+{}", digits[0], digits.substr(1, 2), digits.size() - 1);
}

struct Distinct {
  std::optional<BigCount> count;
  std::string why_not;
};

Distinct distinct_in(const IndexedSpace& space) {
  const std::optional<BigCount> count = space.num_distinct(MaxCompared);
  return {count, count ? "" : fmt::format("more than {} are not compared", MaxCompared.str())};
}

Json json_of(const std::vector<StageCount>& stages) {
  Json list = Json::array();
  for (const StageCount& stage : stages) {
    Json sites = Json::array();
    for (const SiteCount& site : stage.sites)
      sites.push_back({{"site", site.name}, {"count", json_of(site.count)}});
    list.push_back(
        {{"stage", stage.name}, {"count", json_of(stage.count)}, {"sites", std::move(sites)}});
  }
  return list;
}

void print_stages(const std::vector<StageCount>& stages) {
  if (stages.empty()) return;
  Table table({left("stage"), "ways", left("of each")});
  for (const StageCount& stage : stages) {
    std::vector<std::string> sites;
    for (const SiteCount& site : stage.sites)
      sites.push_back(fmt::format("{} {}", site.name, short_count(site.count)));
    table.add({stage.name, stage.count.str(), fmt::format("{}", fmt::join(sites, ", "))});
  }
  fmt::print("\n{}", table.text(2));
}

Json json_of(const std::vector<UndecidedConstruct>& undecided) {
  Json list = Json::array();
  for (const UndecidedConstruct& one : undecided)
    list.push_back({{"construct", one.name}, {"why", one.why}});
  return list;
}

void print_undecided(const std::vector<UndecidedConstruct>& undecided) {
  if (!undecided.empty()) fmt::print("\n");
  for (const UndecidedConstruct& one : undecided)
    fmt::print("  {} decides nothing: {}\n", one.name, one.why);
}

Json json_of(const IndexedSpace& space) {
  const Distinct distinct = distinct_in(space);
  return {{"total", json_of(space.size())},
          {"exact", true},
          {"distinct", distinct.count ? json_of(*distinct.count) : Json()},
          {"why_not_distinct", distinct.why_not},
          {"stages", json_of(space.stages())}};
}

void print_size(const IndexedSpace& space) {
  const Distinct distinct = distinct_in(space);
  fmt::print("{} schedules, {}\n", space.size().str(),
             distinct.count ? distinct.count->str() + " distinct" : distinct.why_not);
}

// Describes the count of a space without numbers.
Json json_of_estimate(const FullCount& count) {
  const bool is_exact = count.walked.has_value();
  Json json = {{"total", json_of(is_exact ? *count.walked : count.estimate->mean)},
               {"exact", is_exact},
               {"distinct", is_exact ? json_of(*count.walked) : Json()},
               {"why_not_distinct", is_exact ? "" : "they are not listed"},
               {"stages", Json::array()},
               {"why_no_numbers", count.why_no_space}};
  if (count.estimate) {
    json["relative_error"] = count.estimate->relative_error;
    json["descents"] = count.estimate->num_descents;
  }
  return json;
}

void print_estimate(const FullCount& count) {
  if (count.walked) {
    fmt::print("{} schedules, without numbers: {}\n", count.walked->str(), count.why_no_space);
    return;
  }
  const double percent = 100 * count.estimate->relative_error;
  const std::string error = percent < 0.01 ? "less than 0.01" : fmt::format("{:.2g}", percent);
  fmt::print("about {} schedules, ± {} %, by {} descents: {}\n", short_count(count.estimate->mean),
             error, count.estimate->num_descents, count.why_no_space);
}

}  // namespace

void print_pins(const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  fmt::print("{} pinned:\n",
             texts.size() == 1 ? "1 site is" : fmt::format("{} sites are", texts.size()));
  for (const std::string& text : texts) fmt::print("  {}\n", text);
}

void print_count(const SpaceTitle& title, const IndexedSpace& space, bool as_json) {
  if (as_json) {
    Json json = json_head(title);
    json.update(json_of(space));
    print_json(json);
    return;
  }
  print_head(title);
  print_size(space);
  print_stages(space.stages());
}

void print_count(const SpaceTitle& title, const FullCount& count, bool as_json) {
  if (as_json) {
    Json json = json_head(title);
    json.update(count.space ? json_of(*count.space) : json_of_estimate(count));
    if (count.space) json["partitions"] = count.space->num_partitions();
    json["undecided"] = json_of(count.undecided);
    print_json(json);
    return;
  }
  print_head(title);
  if (count.space) {
    print_size(*count.space);
    fmt::print("{} partitions into parts\n", count.space->num_partitions());
    print_stages(count.space->stages());
  } else {
    print_estimate(count);
  }
  print_undecided(count.undecided);
}

void print_schedules(const SpaceTitle& title, const std::vector<PrintedSchedule>& schedules,
                     bool as_json) {
  if (!as_json) {
    for (const PrintedSchedule& schedule : schedules)
      fmt::print("-- {}\n{}\n", schedule.name, schedule.text);
    return;
  }
  Json json = json_head(title);
  json["schedules"] = Json::array();
  for (const PrintedSchedule& schedule : schedules)
    json["schedules"].push_back({{"index", schedule.name}, {"schedule", schedule.text}});
  print_json(json);
}

}  // namespace thallo::cli
