#include "core/cli/output/curves_output.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json_fields.h"
#include "core/base/quantity_text.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/search_output.h"
#include "core/cli/output/table.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

double percent_off(double seconds, double best_known) { return 100 * (seconds / best_known - 1); }

// "394.7 µs +81.3 %", "10.94 ms 50.3 ×"
std::string time_cell(double seconds, double best_known) {
  if (!std::isfinite(seconds)) return "-";
  const double percent = percent_off(seconds, best_known);
  return fmt::format(
      "{} {}", quantity_text(seconds, "s"),
      percent < 1000 ? percent_text(percent) : fmt::format("{:.3g} ×", seconds / best_known));
}

std::string place_text(CurveAxis axis, double at) {
  return axis == CurveAxis::Schedules ? fmt::format("{:.0f}", at) : quantity_text(at, "s");
}

std::vector<SearchCurves> with_runs(std::span<const SearchCurves> all) {
  std::vector<SearchCurves> result;
  for (const SearchCurves& curves : all)
    if (!curves.runs.empty()) result.push_back(curves);
  return result;
}

std::string best_times(const CurveComparison& comparison, std::span<const SearchCurves> all,
                       CurveAxis axis) {
  std::vector<Table::Column> columns = {
      {axis == CurveAxis::Schedules ? "schedules measured" : "seconds"}};
  for (const SearchCurves& curves : all) columns.push_back(curves.label);
  Table table(columns);
  for (const double stop : stops_of(all, axis)) {
    std::vector<std::string> cells = {place_text(axis, stop)};
    for (const SearchCurves& curves : all)
      cells.push_back(time_cell(median_at(curves, axis, stop).median, comparison.best_known));
    table.add(std::move(cells));
  }
  return table.empty() ? "None of them found a schedule that has a time.\n" : table.markdown();
}

// "12", or "3 to 40"
template <class Value>
std::string range_text(const std::vector<SearchCurve>& runs, const Value& value,
                       const auto& text_of) {
  const auto [least, most] = std::ranges::minmax(runs, {}, value);
  const std::string first = text_of(value(least));
  const std::string last = text_of(value(most));
  return first == last ? first : fmt::format("{} to {}", first, last);
}

// "finished", or how many of the runs ended how.
std::string endings_text(const std::vector<SearchCurve>& runs) {
  std::vector<std::string> texts;
  for (const auto& [ending, text] : {std::pair(SearchEnding::Finished, "finished"),
                                     std::pair(SearchEnding::OutOfTime, "out of time"),
                                     std::pair(SearchEnding::Cancelled, "cancelled"),
                                     std::pair(SearchEnding::Open, "not ended")}) {
    const auto num = std::ranges::count(runs, ending, &SearchCurve::ending);
    if (num == 0) continue;
    const bool is_all = num == static_cast<std::ptrdiff_t>(runs.size());
    texts.push_back(is_all ? text : fmt::format("{} {}", num, text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_runs(Table& table, std::span<const SearchCurves> all, const char* source) {
  const auto count_text = [](std::size_t count) { return fmt::to_string(count); };
  for (const SearchCurves& curves : all) {
    const std::vector<SearchCurve>& runs = curves.runs;
    if (runs.empty()) continue;
    const bool is_replay = runs.front().num_left_out.has_value();
    table.add({curves.label, source, fmt::to_string(runs.size()),
               range_text(
                   runs, [](const SearchCurve& its) { return its.num_measured; }, count_text),
               is_replay
                   ? range_text(
                         runs, [](const SearchCurve& its) { return *its.num_left_out; }, count_text)
                   : "",
               range_text(
                   runs, [](const SearchCurve& its) { return its.seconds; },
                   [](double seconds) { return quantity_text(seconds, "s"); }),
               endings_text(runs), figures_text(runs.front().figures)});
  }
}

std::string runs_table(const CurveComparison& comparison) {
  Table table({left("search"), left(""), "runs", "with a time", "left out", "took", left("ended"),
               left("what the first one says of itself")});
  add_runs(table, comparison.replayed, "replayed");
  add_runs(table, comparison.recorded.kinds, "recorded");
  return table.markdown();
}

std::optional<double> budget_of(const ReplayRequest& request) {
  const auto& budget = request.exploration.measurer.resources.budget;
  if (!budget) return {};
  return std::chrono::duration<double>(*budget).count();
}

std::string replays_text(const ReplayRequest& request) {
  std::string text = fmt::format("- replays: {} of each search, with the seeds 1 to {}",
                                 request.num_seeds, request.num_seeds);
  if (const auto budget = budget_of(request))
    text += fmt::format("; each ends after {} s at the latest", *budget);
  if (request.exploration.samples)
    text += fmt::format(", random after {} draws", *request.exploration.samples);
  return text + "\n";
}

Json run_json(const SearchCurve& run) {
  Json json = {{"seed", run.seed},
               {"measured", run.num_measured},
               {"left_out", plain(run.num_left_out)},
               {"seconds", run.seconds},
               {"ending", to_string(run.ending)},
               {"figures", figures_json(run.figures)},
               {"curve", Json::array()}};
  for (std::size_t i = 0; i < run.best.size(); ++i) {
    const BestPoint& point = run.best[i];
    json["curve"].push_back(
        {{"measured", point.measured},
         {"seconds", point.at},
         {"best", point.best},
         {"schedule", run.schedules.empty() ? Json() : Json(run.schedules[i])}});
  }
  return json;
}

Json medians_json(const SearchCurves& curves, CurveAxis axis, std::span<const double> stops,
                  double best_known) {
  Json json = Json::array();
  for (const double stop : stops) {
    const MedianPoint point = median_at(curves, axis, stop);
    const bool is_count = axis == CurveAxis::Schedules;
    json.push_back({{is_count ? "measured" : "seconds",
                     is_count ? Json(static_cast<std::size_t>(stop)) : Json(stop)},
                    {"median", plain(point.median)},
                    {"percent_off", plain(percent_off(point.median, best_known))},
                    {"fastest", plain(point.least)},
                    {"slowest", plain(point.most)}});
  }
  return json;
}

Json curves_array(std::span<const SearchCurves> all, double best_known) {
  const std::vector<double> counts = stops_of(all, CurveAxis::Schedules);
  const std::vector<double> times = stops_of(all, CurveAxis::Seconds);
  Json json = Json::array();
  for (const SearchCurves& curves : all) {
    Json its = {{"search", curves.search},
                {"label", curves.label},
                {"fault", curves.fault},
                {"runs", Json::array()},
                {"after_schedules", Json::array()},
                {"after_seconds", Json::array()}};
    for (const SearchCurve& run : curves.runs) its["runs"].push_back(run_json(run));
    if (!curves.runs.empty()) {
      its["after_schedules"] = medians_json(curves, CurveAxis::Schedules, counts, best_known);
      its["after_seconds"] = medians_json(curves, CurveAxis::Seconds, times, best_known);
    }
    json.push_back(std::move(its));
  }
  return json;
}

}  // namespace

std::string curves_markdown(const ReplayRequest& request, const CurveComparison& comparison,
                            const std::vector<LinkedFigure>& figures) {
  std::string text = fmt::format(
      "# {}, {}: how soon searches find fast schedules\n\n- device: {} ({})\n- store: {}\n- best "
      "known: {}, {}\n{}",
      comparison.problem, comparison.title, comparison.device.name, comparison.device.backend,
      comparison.store, quantity_text(comparison.best_known, "s"),
      comparison.kind == ResultKind::Composed ? "composed of the times of steps"
                                              : "of whole solves",
      replays_text(request));
  if (comparison.is_cancelled) text += "- interrupted before all replays were done\n";
  for (const SearchCurves& curves : comparison.replayed)
    if (!curves.fault.empty())
      text += fmt::format("- not replayed: {}: {}\n", curves.label, curves.fault);
  if (const std::size_t others = comparison.recorded.num_other_runs; others > 0)
    text += fmt::format(
        "- recorded runs that are not shown: {} (of earlier kinds, without a time, "
        "or by times of another kind)\n",
        others);
  text +=
      "\nTimes are medians of the best so far, over the runs of a search, with what they are off "
      "the best known.\nThe named schedules come first in every run.\n";
  const auto add = [&](const char* title, const char* remark, std::span<const SearchCurves> all,
                       CurveAxis axis) {
    if (!all.empty())
      text += fmt::format("\n## {}\n\n{}{}", title, remark, best_times(comparison, all, axis));
  };
  const std::vector<SearchCurves> replayed = with_runs(comparison.replayed);
  add("Replayed, after so many schedules", "", replayed, CurveAxis::Schedules);
  add("Replayed, after so many seconds",
      "Of searching and looking up: nothing is compiled or measured.\n\n", replayed,
      CurveAxis::Seconds);
  add("As recorded, after so many schedules", "", comparison.recorded.kinds, CurveAxis::Schedules);
  add("As recorded, after so many seconds", "With compiling and measuring.\n\n",
      comparison.recorded.kinds, CurveAxis::Seconds);
  text += fmt::format("\n## Runs\n\n{}", runs_table(comparison));
  for (const LinkedFigure& figure : figures)
    text += fmt::format("\n![{}]({})\n", figure.title, figure.file);
  return text;
}

std::string curves_json(const ReplayRequest& request, const CurveComparison& comparison) {
  const auto budget = budget_of(request);
  const auto& samples = request.exploration.samples;
  const double best_known = comparison.best_known;
  const Json json = {{"problem", comparison.problem},
                     {"title", comparison.title},
                     {"store", comparison.store},
                     {"device", comparison.device.name},
                     {"device_signature", comparison.device.signature},
                     {"measured_by", to_string(comparison.kind)},
                     {"best_known", plain(best_known)},
                     {"seeds", request.num_seeds},
                     {"budget", plain(budget)},
                     {"sample", plain(samples)},
                     {"interrupted", comparison.is_cancelled},
                     {"replayed", curves_array(comparison.replayed, best_known)},
                     {"recorded", curves_array(comparison.recorded.kinds, best_known)},
                     {"other_recorded_runs", comparison.recorded.num_other_runs}};
  return dumped(json) + "\n";
}

}  // namespace thallo::cli
