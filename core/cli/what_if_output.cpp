#include "core/cli/what_if_output.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/quantity_text.h"
#include "core/cli/require.h"
#include "core/cli/table.h"
#include "core/schedule/shown_names.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string time_or_not(double seconds) {
  return std::isfinite(seconds) ? quantity_text(seconds, "s") : "does not fit";
}

// The times of plans as cells, with a star at the fastest.
void add_times(std::vector<std::string>& cells, const std::vector<double>& seconds) {
  const double least = std::ranges::min(seconds);
  for (const double time : seconds)
    cells.push_back(time_or_not(time) + (std::isfinite(time) && time == least ? " *" : "  "));
}

std::string factor_text(double factor) {
  return factor < 1 ? fmt::format("1/{:.3g}", 1 / factor) : fmt::format("{:.3g}", factor);
}

std::string extents_text(const WhatIfPoint& point) {
  std::string text;
  for (const auto& [dim, extent] : point.extents)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", dim, extent);
  return text;
}

// "all 5 residuals: [JtJ]p": the strategies of the parts.
std::string strategies_text(const Schedule& schedule, const Energy& energy,
                            const ConstructRegistry& constructs) {
  const Plan plan = require(make_plan(energy, schedule, constructs));
  const ShownNames shown(energy, plan);
  std::vector<std::string> parts;
  constexpr std::size_t MostParts = 4;
  for (const Part& part : plan.parts) {
    if (parts.size() == MostParts) {
      parts.push_back(fmt::format("{} more", plan.parts.size() - MostParts));
      break;
    }
    parts.push_back(fmt::format("{} {}", shown.of(part.name), to_string(part.strategy)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json json_seconds(double seconds) { return std::isfinite(seconds) ? Json(seconds) : Json(); }

Json json_times(const std::vector<double>& seconds) {
  Json times = Json::array();
  std::ranges::transform(seconds, std::back_inserter(times), json_seconds);
  return times;
}

}  // namespace

std::string what_if_text(const WhatIf& what_if, WhatIfAxis axis, const Energy& energy,
                         const ConstructRegistry& constructs) {
  const bool is_of_points = axis == WhatIfAxis::Points;
  std::vector<Table::Column> columns = {{"factor"},
                                        {is_of_points ? "unknowns" : "linear iterations"}};
  for (const std::string& name : what_if.names) columns.push_back({name + "  "});
  columns.push_back({"auto there"});
  columns.push_back({"its strategies", Table::Align::Left});
  if (is_of_points) columns.push_back({"extents", Table::Align::Left});
  Table table(std::move(columns));
  for (const WhatIfPoint& point : what_if.points) {
    std::vector<std::string> cells = {factor_text(point.factor),
                                      is_of_points ? std::to_string(point.num_unknowns)
                                                   : fmt::format("{}", point.linear_iterations)};
    add_times(cells, point.seconds);
    cells.push_back(point.chosen ? time_or_not(point.chosen->seconds) : "");
    cells.push_back(point.chosen ? strategies_text(point.chosen->schedule, energy, constructs)
                                 : "");
    if (is_of_points) cells.push_back(extents_text(point));
    table.add(std::move(cells));
  }
  std::string text = fmt::format(
      "predicted seconds of a nonlinear iteration; * is the fastest of the schedules\n{}",
      table.text(2));
  for (const Crossover& cross : what_if.crossovers) {
    text += fmt::format("from about {} times the {} on, {} is faster than {}\n",
                        factor_text(cross.factor), is_of_points ? "points" : "linear iterations",
                        what_if.names[cross.to], what_if.names[cross.from]);
  }
  return text;
}

std::string devices_text(const std::vector<std::string>& names,
                         const std::vector<TimesOnDevice>& devices) {
  std::vector<Table::Column> columns = {{"device", Table::Align::Left}};
  for (const std::string& name : names) columns.push_back({name + "  "});
  Table table(std::move(columns));
  for (const auto& [device, seconds] : devices) {
    std::vector<std::string> cells = {device};
    add_times(cells, seconds);
    table.add(std::move(cells));
  }
  return fmt::format("predicted seconds of a nonlinear iteration; * is the fastest\n{}",
                     table.text(2));
}

void add_what_if(Json& json, const WhatIf& what_if, const ConstructRegistry& constructs) {
  json["schedules"] = what_if.names;
  json["points"] = Json::array();
  for (const WhatIfPoint& point : what_if.points) {
    Json extents = Json::object();
    for (const auto& [dim, extent] : point.extents) extents[dim] = extent;
    Json its = {{"factor", point.factor},
                {"extents", extents},
                {"unknowns", point.num_unknowns},
                {"linear_iterations", point.linear_iterations},
                {"seconds", json_times(point.seconds)}};
    if (point.chosen) {
      its["auto_there"] = {{"schedule", point.chosen->schedule.text(constructs)},
                           {"seconds", json_seconds(point.chosen->seconds)}};
    }
    json["points"].push_back(std::move(its));
  }
  json["crossovers"] = Json::array();
  for (const Crossover& cross : what_if.crossovers) {
    json["crossovers"].push_back({{"from", what_if.names[cross.from]},
                                  {"to", what_if.names[cross.to]},
                                  {"factor", cross.factor}});
  }
}

void add_devices(Json& json, const std::vector<std::string>& names,
                 const std::vector<TimesOnDevice>& devices) {
  json["schedules"] = names;
  json["devices"] = Json::array();
  for (const auto& [device, seconds] : devices)
    json["devices"].push_back({{"device", device}, {"seconds", json_times(seconds)}});
}

}  // namespace thallo::cli
