#include "core/cli/prediction_output.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/cli/search_output.h"
#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

SearchedBy searched_by(const PredictedExploration& prediction) {
  return {prediction.request().search, prediction.request().search_options, prediction.figures(),
          prediction.remark()};
}

}  // namespace

void print_prediction(const PredictedExploration& prediction) {
  const std::vector<PredictedSchedule> schedules = prediction.schedules();
  fmt::print("{}, {}, predicted for {}\n", prediction.problem().problem->info().name,
             prediction.problem().instance.title, prediction.device().name);
  fmt::print("{} schedules; none was compiled or measured\n\n", schedules.size());
  if (schedules.empty()) return;
  std::vector<Table::Column> columns = {{"schedule", Table::Align::Left}};
  for (const auto& [model, seconds] : schedules.front().seconds) columns.push_back({model + " us"});
  columns.push_back({"", Table::Align::Left});
  Table table(columns);
  std::size_t num_shown = 0;
  for (const PredictedSchedule& its : schedules) {
    if (num_shown >= NumShown && its.names.empty()) continue;
    ++num_shown;
    std::vector<std::string> cells = {its.proposal.index.value_or(its.proposal.hash.substr(0, 12))};
    for (const auto& [model, seconds] : its.seconds)
      cells.push_back(std::isfinite(seconds) ? fmt::format("{:.2f}", 1e6 * seconds) : "-");
    cells.push_back(fmt::format("{}", fmt::join(its.names, ", ")));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text(2));
  fmt::print("\npredicted to be the fastest:\n{}",
             indented_schedule(schedules.front().proposal.text));
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
               {"device", prediction.device().name},
               {"model", request.target.model},
               {"search", searched_json(searched_by(prediction))},
               {"unfit", prediction.fitting().num_refused()},
               {"why_unfit", prediction.fitting().why()},
               {"marks", Json::object()},
               {"candidates", Json::array()}};
  for (const PredictedSchedule& its : prediction.schedules()) {
    for (const std::string& name : its.names) json["marks"][name] = its.proposal.hash;
    Json predicted = Json::object();
    for (const auto& [model, seconds] : its.seconds)
      predicted[model] = std::isfinite(seconds) ? Json(seconds) : Json();
    json["candidates"].push_back(
        {{"index", its.proposal.index ? Json(*its.proposal.index) : Json()},
         {"hash", its.proposal.hash},
         {"predicted", predicted},
         {"schedule", its.proposal.text}});
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace thallo::cli
