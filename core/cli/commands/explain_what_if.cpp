// thallo explain what-if PROBLEM sizes|iterations|devices: what schedules are predicted to take at
// other sizes, with other numbers of linear iterations, and on other devices.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/base/json_fields.h"
#include "core/cli/commands/explain.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/explore/report/what_if.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/shown_names.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

// The times of plans on a device; infinite for one that does not fit.
struct TimesOnDevice {
  std::string device;
  std::vector<double> seconds;
};
THALLO_FIELDS(TimesOnDevice, device, seconds)

// The times of plans as cells, with a star at the fastest.
void add_times(std::vector<std::string>& cells, const std::vector<double>& seconds) {
  const double least = std::ranges::min(seconds);
  for (const double time : seconds)
    cells.push_back(time_text(time) + (std::isfinite(time) && time == least ? " *" : "  "));
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
std::string strategies_text(const Schedule& schedule, const ExplainedInstance& instance) {
  const Plan plan = instance.plan(schedule);
  const ShownNames shown(instance.energy(), plan);
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

std::string what_if_text(const WhatIf& what_if, WhatIfAxis axis,
                         const ExplainedInstance& instance) {
  const bool is_of_points = axis == WhatIfAxis::Points;
  std::vector<Table::Column> columns = {"factor",
                                        {is_of_points ? "unknowns" : "linear iterations"}};
  for (const std::string& name : what_if.names) columns.push_back(name + "  ");
  columns.push_back("auto there");
  columns.push_back(left("its strategies"));
  if (is_of_points) columns.push_back(left("extents"));
  Table table(std::move(columns));
  for (const WhatIfPoint& point : what_if.points) {
    std::vector<std::string> cells = {factor_text(point.factor),
                                      is_of_points ? std::to_string(point.num_unknowns)
                                                   : fmt::format("{}", point.linear_iterations)};
    add_times(cells, point.seconds);
    cells.push_back(point.chosen ? time_text(point.chosen->seconds) : "");
    cells.push_back(point.chosen ? strategies_text(point.chosen->schedule, instance) : "");
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

std::string devices_text(const std::vector<NamedPlan>& plans,
                         const std::vector<TimesOnDevice>& devices) {
  std::vector<Table::Column> columns = {left("device")};
  for (const NamedPlan& plan : plans) columns.push_back(plan.name + "  ");
  Table table(std::move(columns));
  for (const auto& [device, seconds] : devices) {
    std::vector<std::string> cells = {device};
    add_times(cells, seconds);
    table.add(std::move(cells));
  }
  return fmt::format("predicted seconds of a nonlinear iteration; * is the fastest\n{}",
                     table.text(2));
}

Json points_json(const WhatIf& what_if, const ConstructRegistry& constructs) {
  Json points = Json::array();
  for (const WhatIfPoint& point : what_if.points) {
    points.push_back({{"factor", point.factor},
                      {"extents", Json::object()},
                      {"unknowns", point.num_unknowns},
                      {"linear_iterations", point.linear_iterations},
                      {"seconds", plain(point.seconds)}});
    for (const auto& [dim, extent] : point.extents) points.back()["extents"][dim] = extent;
    if (point.chosen) {
      points.back()["auto_there"] = {{"schedule", point.chosen->schedule.text(constructs)},
                                     {"seconds", plain(point.chosen->seconds)}};
    }
  }
  return points;
}

Json crossovers_json(const WhatIf& what_if) {
  Json crossovers = Json::array();
  for (const Crossover& cross : what_if.crossovers) {
    crossovers.push_back({{"from", what_if.names[cross.from]},
                          {"to", what_if.names[cross.to]},
                          {"factor", cross.factor}});
  }
  return crossovers;
}

// The schedules that are compared at other sizes: every named one, that of the energy's text,
// `auto` for the instance itself, and the one that is requested.
std::vector<NamedPlan> compared_plans(const ExplainedInstance& instance) {
  std::vector<std::string> names(std::begin(NamedSchedules), std::end(NamedSchedules));
  const std::string& requested = instance.request().schedule;
  if (!instance.file().schedule.empty()) names.emplace_back("file");
  if (weighs_schedules(instance.energy())) names.emplace_back("auto");
  if (!requested.empty() && std::ranges::find(names, requested) == names.end())
    names.push_back(requested);
  std::vector<NamedPlan> plans;
  for (const std::string& name : names)
    plans.push_back({name, instance.plan(instance.schedule(name))});
  return plans;
}

std::vector<TimesOnDevice> times_on_devices(const Energy& energy, const WhatIfTarget& target,
                                            std::span<const NamedPlan> plans) {
  std::vector<TimesOnDevice> devices;
  for (const std::string& name : shipped_specs()) {
    const DeviceSpec spec = require(named_device_spec(name, "auto"));
    if (spec.backend != "interpreter")
      devices.push_back({spec.name, times_on(spec, energy, plans, target)});
  }
  return devices;
}

void explain_what_if(Session& session, const ExplainFlags& flags, const std::string& varied) {
  const ExplainedInstance instance(session, flags, {flags.run.schedule});
  const DeviceSpec device = instance.device();
  const std::vector<NamedPlan> plans = compared_plans(instance);
  const AutoTarget& target = instance.target();
  const WhatIfTarget from{
      .binding = target.binding, .prices = target.prices(), .memory_limit = target.memory_limit};
  if (varied == "iterations" && target.program.linear_solver->is_direct()) {
    throw UserError(fmt::format("linear_solver {} makes no linear iterations",
                                target.program.linear_solver->name()));
  }
  Json json = {{"problem", flags.run.problem.name}, {"device", device.name}};
  for (const NamedPlan& plan : plans) json["schedules"].push_back(plan.name);
  std::string text;
  if (varied == "devices") {
    const auto devices = times_on_devices(instance.energy(), from, plans);
    json["devices"] = plain(devices);
    text = devices_text(plans, devices);
  } else {
    const WhatIfAxis axis = varied == "sizes" ? WhatIfAxis::Points : WhatIfAxis::LinearIterations;
    const WhatIf result =
        require(what_if(instance.energy(), instance.constructs(), plans, from, device, axis));
    json["points"] = points_json(result, instance.constructs());
    json["crossovers"] = crossovers_json(result);
    text = what_if_text(result, axis, instance);
  }
  if (flags.json) return print_json(json);
  fmt::print("{}\nfor {}: {}", instance.title(), device.name, text);
}

}  // namespace

Command add_explain_what_if(CLI::App& explain, Session& session, ExplainFlags& flags) {
  CLI::App* command = add_explain_subcommand(
      explain, flags, "what-if",
      "what the named schedules would take at other sizes, with other numbers of\n"
      "linear iterations, or on the other devices that are known");
  auto varied = std::make_shared<std::string>();
  command->add_option("WHAT", *varied, "what is varied: sizes, iterations or devices")
      ->required()
      ->check(CLI::IsMember({"sizes", "iterations", "devices"}));
  return {command, [&session, &flags, varied] {
            explain_what_if(session, flags, *varied);
            return ExitCode::Ok;
          }};
}

}  // namespace thallo::cli
