#include "core/cli/output/report_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/explore/plot/panel.h"
#include "core/explore/report/figures.h"
#include "core/problem/choose_schedule.h"
#include "core/search/search.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;
using plot::Ink;

constexpr const char* Best = "best";
constexpr const char* Auto = "auto";
constexpr std::array Curves = {"published-default", "default", "opt", Auto, Best};

// Returns the measured times of a problem by the schedule's hash; times of whole solves are
// preferred.
std::map<std::string, double> measured_times(const MeasurementStore& store,
                                             const std::string& problem,
                                             const std::string& device) {
  std::map<std::string, double> composed;
  std::map<std::string, double> solved;
  std::vector<std::string> failed;
  for (const ScheduleResult& result : require(store.list<ScheduleResult>({problem, device}))) {
    const bool is_composed = result.slot.kind == ResultKind::Composed;
    if (result.is_ok()) {
      (is_composed ? composed : solved)[result.slot.schedule] = result.nonlinear_seconds;
    } else {
      failed.push_back(result.slot.schedule);
    }
  }
  solved.merge(composed);
  for (const std::string& hash : failed) solved.erase(hash);
  return solved;
}

SweepPoint point_at(const ExploredProblem& problem, const CostModel& model, const DeviceSpec& spec,
                    const std::map<std::string, double>& measured) {
  const AutoTarget for_auto = problem.auto_target(spec);
  const PlanPricer pricer(problem.file.energy, problem.instance.binding,
                          problem.price_options(model), spec);
  SweepPoint point;
  for (const char* curve : Curves) {
    if (curve == std::string_view(Best)) continue;
    auto schedule = choose_schedule(curve, problem.file, *problem.constructs, &for_auto);
    if (!schedule) continue;  // the energy has no schedule of that name
    const Proposal proposal = Proposal::of(*std::move(schedule), *problem.constructs);
    SweepTime time;
    if (const auto its = measured.find(proposal.hash); its != measured.end())
      time.measured = its->second;
    if (const auto plan = problem.plan_of(proposal.schedule))
      time.estimated = pricer.price(*plan).prediction.nonlinear_iteration;
    point.times[curve] = time;
    if (curve == std::string_view(Auto)) point.auto_text = proposal.text;
  }
  for (const auto& [hash, seconds] : measured) {
    std::optional<double>& best = point.times[Best].measured;
    best = std::min(best.value_or(seconds), seconds);
  }
  return point;
}

std::string cell_text(const SweepTime& time) {
  const bool is_guess = !time.measured && time.estimated && std::isfinite(*time.estimated);
  return (is_guess ? "~" : "") + time_text(time.shown());
}

std::optional<double> finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool has_curve(const Sweep& sweep, const std::string& name) {
  return std::ranges::any_of(sweep.points,
                             [&](const SweepPoint& point) { return point.times.contains(name); });
}

}  // namespace

std::vector<std::int64_t> SweepRange::values() const {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value *= 2) values.push_back(value);
  return values;
}

SweepRange parse_sweep(const std::string& text, const Problem& problem) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.find(':', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || colon == std::string::npos) {
    throw UserError(
        fmt::format("--sweep: '{}' is no range of an option: write size=64:1024", text));
  }
  SweepRange range{.option = text.substr(0, equals)};
  std::vector<std::string> legal;
  for (const OptionSpec& spec : problem.options())
    if (std::holds_alternative<std::int64_t>(spec.default_value)) legal.push_back(spec.name);
  if (std::ranges::find(legal, range.option) == legal.end()) {
    throw UserError(
        unknown_name("--sweep: the problem has no integer option", range.option, legal));
  }
  const std::string_view ends(text);
  const auto first = parse_number<std::int64_t>(ends.substr(equals + 1, colon - equals - 1));
  const auto last = parse_number<std::int64_t>(ends.substr(colon + 1));
  if (!first || !last || *first < 1 || *last < *first ||
      *last > std::numeric_limits<std::int64_t>::max() / 2) {
    throw UserError(fmt::format(
        "--sweep: '{}' is no range: write two integers from 1 on, the smaller one first",
        text.substr(equals + 1)));
  }
  range.first = *first;
  range.last = *last;
  return range;
}

Sweep make_sweep(Session& session, const ExplorationTarget& target, const SweepRange& range,
                 const CostModel& model, const DeviceSpec& spec, const MeasurementStore* store,
                 const std::optional<DeviceRecord>& device) {
  Sweep sweep{.problem = target.problem,
              .option = range.option,
              .device = device ? device->name : spec.name,
              .predicted = spec.name};
  for (const std::int64_t value : range.values()) {
    ExplorationTarget at = target;
    at.options.set(range.option, value);
    const ExploredProblem problem = require(ExploredProblem::open(session, at));
    std::map<std::string, double> measured;
    if (store != nullptr && device)
      measured = measured_times(*store, problem.signature, device->signature);
    SweepPoint point = point_at(problem, model, spec, measured);
    point.value = value;
    point.auto_differs = !sweep.points.empty() && sweep.points.back().auto_text != point.auto_text;
    sweep.points.push_back(std::move(point));
  }
  return sweep;
}

std::string sweep_markdown(const Sweep& sweep) {
  std::vector<Table::Column> columns = {{sweep.option}};
  for (const char* curve : Curves)
    if (has_curve(sweep, curve)) columns.push_back(curve);
  columns.push_back(left(""));
  Table table(columns);
  for (const SweepPoint& point : sweep.points) {
    std::vector<std::string> cells = {fmt::to_string(point.value)};
    for (const char* curve : Curves) {
      if (!has_curve(sweep, curve)) continue;
      const auto time = point.times.find(curve);
      cells.push_back(time == point.times.end() ? "-" : cell_text(time->second));
    }
    cells.emplace_back(point.auto_differs ? "auto chooses anew" : "");
    table.add(std::move(cells));
  }
  const std::string predicted = sweep.predicted == sweep.device
                                    ? std::string()
                                    : fmt::format("- estimated as for: {}\n", sweep.predicted);
  return fmt::format(
      "# {}, by {}\n\n- device: {}\n{}\nTimes are of a nonlinear iteration with its linear "
      "iterations, measured, or with ~ estimated.\n\n{}",
      sweep.problem, sweep.option, sweep.device, predicted, table.markdown());
}

std::string sweep_json(const Sweep& sweep) {
  Json json = {{"problem", sweep.problem},
               {"option", sweep.option},
               {"device", sweep.device},
               {"estimated_as_for", sweep.predicted},
               {"points", Json::array()}};
  for (const SweepPoint& point : sweep.points) {
    json["points"].push_back({{"value", point.value},
                              {"times", plain(point.times)},
                              {"auto", point.auto_text},
                              {"auto_differs", point.auto_differs}});
  }
  return dumped(json) + "\n";
}

std::optional<plot::Svg> sweep_picture(const Sweep& sweep) {
  std::vector<double> all;
  for (const SweepPoint& point : sweep.points) {
    for (const auto& [name, time] : point.times)
      if (const auto seconds = finite(time.shown())) all.push_back(*seconds);
  }
  if (all.empty()) return {};
  const auto [least, largest] = std::ranges::minmax(all);
  const plot::TimeUnit unit = plot::time_unit(std::sqrt(least * largest));
  std::vector<plot::LegendEntry> legend;
  for (const char* curve : Curves)
    if (has_curve(sweep, curve)) legend.push_back(mark_style(curve));

  constexpr double Width = 400;
  constexpr double Left = 56;
  constexpr double Above = 20;
  constexpr double Height = 200;
  constexpr double Inside = Width - Left - 12;
  constexpr double Bottom = Above + Height + 42;
  plot::Svg svg(Width, Bottom + plot::legend_height(legend, Inside) + 4,
                "The times of schedules against the size of the problem");
  const auto first = static_cast<double>(sweep.points.front().value);
  const auto last = static_cast<double>(sweep.points.back().value);
  plot::Panel panel(svg, {Left, Above, Inside, Height},
                    {plot::Scale::logarithmic(first, last), sweep.option, 7},
                    {plot::Scale::logarithmic(least / unit.seconds, largest / unit.seconds),
                     fmt::format("time of an iteration ({})", unit.name), 6});
  bool has_note = false;
  for (std::size_t i = 1; i < sweep.points.size(); ++i) {
    if (!sweep.points[i].auto_differs) continue;
    const double between = std::sqrt(static_cast<double>(sweep.points[i - 1].value) *
                                     static_cast<double>(sweep.points[i].value));
    const double x = panel.x(between);
    svg.line({{x, Above}, {x, Above + Height}}, {Ink::Purple, 1, true});
    if (std::exchange(has_note, true)) continue;
    const bool is_left = x > Left + Inside / 2;
    svg.text({x, Above - 6}, "auto chooses another schedule",
             {.size = plot::SmallFontSize,
              .anchor = is_left ? plot::Anchor::End : plot::Anchor::Start,
              .ink = Ink::Purple});
  }
  for (const auto& [curve, ink, glyph] : legend) {
    std::vector<plot::Point> line;
    for (const SweepPoint& point : sweep.points) {
      const auto time = point.times.find(curve);
      if (time == point.times.end()) continue;
      const auto seconds = finite(time->second.shown());
      if (seconds)
        line.push_back(panel.at(static_cast<double>(point.value), *seconds / unit.seconds));
    }
    if (line.size() > 1) svg.line(line, {ink, 1.5});
    for (const plot::Point& at : line) svg.glyph(at, glyph, ink, 7);
  }
  plot::draw_legend(svg, {Left, Bottom}, Inside, legend);
  return svg;
}

}  // namespace thallo::cli
