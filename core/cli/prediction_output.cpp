#include "core/cli/prediction_output.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cli/json_text.h"
#include "core/cli/search_output.h"
#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

SearchedBy searched_by(const PredictedExploration& prediction) {
  return {prediction.request().search, prediction.request().search_options, prediction.figures(),
          prediction.remark(), prediction.ending()};
}

std::vector<std::string> pins_of(const PredictedExploration& prediction) {
  return prediction.request().pins.texts(*prediction.problem().constructs);
}

void print_head(const PredictedExploration& prediction, std::size_t num_schedules) {
  const StoredTimes* stored = prediction.stored();
  fmt::print("{}, {}, {} {}\n", prediction.problem().problem->info().name,
             prediction.problem().instance.title,
             stored != nullptr ? "replayed with the times of" : "predicted for",
             prediction.device().name);
  if (stored == nullptr) {
    fmt::print("{} schedules; none was compiled or measured\n", num_schedules);
  } else {
    fmt::print("{} schedules with a time in {}, {} of them composed of the steps that it has\n",
               num_schedules, stored->path().string(), stored->num_composed());
    fmt::print("{} without a time there were left out; none was compiled or measured\n",
               prediction.num_left_out());
  }
  print_pins(pins_of(prediction));
  fmt::print("\n");
}

std::string microseconds(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.2f}", 1e6 * seconds) : "-";
}

// Prints the best time after 1, 2, 5 ... look-ups.
void print_curve(const PredictedExploration& prediction) {
  const auto curve = best_so_far(prediction.events());
  if (curve.empty()) return;
  Table table({{"looked up"}, {"best so far us"}, {"off the best known"}});
  for (const std::size_t stop : curve_stops(prediction.events().size())) {
    const double best = *best_after_schedules(curve, stop);
    table.add({fmt::to_string(stop), microseconds(best),
               fmt::format("{:.2f} %", 100 * (best / prediction.stored()->best() - 1))});
  }
  fmt::print("\n{}", table.text(2));
}

}  // namespace

void print_prediction(const PredictedExploration& prediction) {
  const std::vector<PredictedSchedule> schedules = prediction.schedules();
  const bool is_replay = prediction.stored() != nullptr;
  print_head(prediction, schedules.size());
  if (schedules.empty()) return;
  std::vector<Table::Column> columns = {{"schedule", Table::Align::Left}};
  if (is_replay) columns.push_back({"stored us"});
  for (const auto& [model, seconds] : schedules.front().seconds) columns.push_back({model + " us"});
  columns.push_back({"", Table::Align::Left});
  Table table(columns);
  std::size_t num_shown = 0;
  for (const PredictedSchedule& its : schedules) {
    if (num_shown >= NumShown && its.names.empty()) continue;
    ++num_shown;
    std::vector<std::string> cells = {its.proposal.index.value_or(its.proposal.hash.substr(0, 12))};
    if (its.stored) cells.push_back(microseconds(*its.stored));
    for (const auto& [model, seconds] : its.seconds) cells.push_back(microseconds(seconds));
    cells.push_back(marked_text(its.names, its.keeps_pins));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text(2));
  const auto fastest = std::ranges::find(schedules, true, &PredictedSchedule::keeps_pins);
  if (fastest != schedules.end()) {
    fmt::print("\n{}:\n{}", is_replay ? "the fastest" : "predicted to be the fastest",
               indented_schedule(fastest->proposal.text));
  }
  if (is_replay) print_curve(prediction);
  print_searched(searched_by(prediction));
  if (const FittingSchedules& fitting = prediction.fitting(); fitting.num_refused() > 0)
    fmt::print("\n{} do not fit and were left out: {}\n", fitting.num_refused(), fitting.why());
}

void print_prediction_json(const PredictedExploration& prediction) {
  const ExplorationRequest& request = prediction.request();
  const ExploredProblem& problem = prediction.problem();
  Json json = {{"problem", problem.problem->info().name},
               {"signature", problem.signature},
               {"title", problem.instance.title},
               {"space", request.space != nullptr ? request.space->id() : request.space_name},
               {"pins", pins_of(prediction)},
               {"device", prediction.device().name},
               {"model", request.target.model},
               {"search", searched_json(searched_by(prediction))},
               {"unfit", prediction.fitting().num_refused()},
               {"why_unfit", prediction.fitting().why()},
               {"marks", Json::object()},
               {"candidates", Json::array()}};
  const StoredTimes* stored = prediction.stored();
  if (stored != nullptr) {
    json["store"] = stored->path().string();
    json["left_out"] = prediction.num_left_out();
    json["composed_of_steps"] = stored->num_composed();
    json["best_known"] = std::isfinite(stored->best()) ? Json(stored->best()) : Json();
    json["looked_up"] = prediction.events().size();
    json["curve"] = Json::array();
    for (const auto& [measured, at, best] : best_so_far(prediction.events()))
      json["curve"].push_back({{"looked_up", measured}, {"seconds", at}, {"best", best}});
  }
  for (const PredictedSchedule& its : prediction.schedules()) {
    for (const std::string& name : its.names) json["marks"][name] = its.proposal.hash;
    Json predicted = Json::object();
    for (const auto& [model, seconds] : its.seconds)
      predicted[model] = std::isfinite(seconds) ? Json(seconds) : Json();
    json["candidates"].push_back(
        {{"index", its.proposal.index ? Json(*its.proposal.index) : Json()},
         {"hash", its.proposal.hash},
         {"keeps_pins", its.keeps_pins},
         {"predicted", predicted},
         {"schedule", its.proposal.text}});
    if (its.stored) {
      json["candidates"].back()["stored"] =
          std::isfinite(*its.stored) ? Json(*its.stored) : Json("failed");
    }
  }
  print_json(json);
}

}  // namespace thallo::cli
