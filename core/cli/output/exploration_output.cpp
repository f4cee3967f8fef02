#include "core/cli/output/exploration_output.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json_fields.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/space_output.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/explore/report/search_curves.h"
#include "core/explore/space/explored_space.h"
#include "core/explore/store/store.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

// How many of the best schedules are shown to people; JSON has all.
constexpr std::size_t NumShown = 10;

struct SearchedBy {
  std::string search;
  Options options;  // complete
  SearchFigures figures;
  std::string remark;  // SearchRun::remark()
  SearchEnding ending = SearchEnding::Finished;
  double seconds = 0;                      // that it took
  std::vector<std::string> proposed = {};  // hashes, in this order
};

// Returns the text with every line indented, or a line that says that it is the default.
std::string indented_schedule(const std::string& text) {
  if (text.empty()) return "  the default schedule: no directive\n";
  std::string result;
  for (const char c : text) {
    if (result.empty() || result.back() == '\n') result += "  ";
    result += c;
  }
  return result;
}

std::string marked_text(const std::vector<std::string>& names, bool keeps_pins) {
  return fmt::format("{}{}", fmt::join(names, ", "), keeps_pins ? "" : "; not as pinned");
}

void print_searched(const SearchedBy& searched) {
  if (!searched.figures.empty())
    fmt::print("\n{}: {}\n", searched.search, figures_text(searched.figures));
  if (!searched.remark.empty())
    fmt::print("{}{}\n", searched.figures.empty() ? "\n" : "", searched.remark);
  if (searched.ending == SearchEnding::Cancelled)
    fmt::print("\nit was interrupted before the search had ended\n");
}

Json figures_json(const SearchFigures& figures) {
  Json json = Json::object();
  for (const SearchFigure& figure : figures) json[figure.name] = json_fields::plain(figure.value);
  return json;
}

Json searched_json(const SearchedBy& searched) {
  return {{"name", searched.search},
          {"options", json_fields::plain(searched.options)},
          {"figures", figures_json(searched.figures)},
          {"remark", searched.remark},
          {"seconds", searched.seconds},
          {"proposed", searched.proposed},
          {"ending", to_string(searched.ending)}};
}

std::size_t num_programs(const std::vector<Candidate>& candidates) {
  std::set<std::string> programs;
  for (const Candidate& candidate : candidates)
    if (!candidate.program.empty()) programs.insert(candidate.program);
  return programs.size();
}

bool keeps_pins(const std::string& hash, const Exploration& exploration) {
  const auto& named = exploration.named();
  const auto its = std::ranges::find(
      named, hash,
      [](const NamedProposal& its) -> const std::string& { return its.proposal.hash; });
  return its == named.end() || its->keeps_pins;
}

std::string names_of(const std::string& hash, const Exploration& exploration) {
  std::vector<std::string> names;
  for (const NamedProposal& its : exploration.named())
    if (its.proposal.hash == hash) names.push_back(its.name);
  return marked_text(names, keeps_pins(hash, exploration));
}

SearchedBy searched_by(const Exploration& exploration) {
  ExplorationEnd end = exploration.end();
  return {exploration.request().search, exploration.request().search_options,
          std::move(end.figures),       std::move(end.remark),
          exploration.ending(),         exploration.search_seconds(),
          exploration.proposed()};
}

std::vector<std::string> other_devices(const Exploration& exploration) {
  const Measurer& measurer = exploration.measurer();
  const MeasurementStore& store = measurer.store();
  std::vector<std::string> others;
  for (const DeviceRecord& device : require(store.list<DeviceRecord>())) {
    if (device.signature == measurer.device().signature) continue;
    const StoreSelection its{measurer.problem().signature, device.signature};
    if (!require(store.list<ScheduleResult>(its)).empty()) others.push_back(device.name);
  }
  return others;
}

// The models that workers predict by (Worker): all that are not fitted, and the one that is named.
std::vector<std::string> predicting_models(Session& session, const ExplorationTarget& target) {
  std::vector<std::string> names;
  for (const auto* entry : session.cost_models().entries())
    if (!entry->item->is_fitted() || entry->name == target.model) names.push_back(entry->name);
  if (std::ranges::find(names, target.model) == names.end()) names.push_back(target.model);
  return names;
}

void print_table(const std::vector<std::pair<double, const Candidate*>>& sorted,
                 const Exploration& exploration, const std::vector<std::string>& models) {
  const Objective objective = exploration.measurer().objective();
  const bool is_to_cost = objective != Objective::NonlinearIteration;
  std::vector<Table::Column> columns = {left("schedule")};
  if (is_to_cost) columns.push_back({fmt::format("to {} us", to_string(objective))});
  columns.insert(columns.end(), {"composed us", "end to end us"});
  for (const std::string& model : models) columns.push_back(model + " us");
  columns.push_back(left(""));
  Table table(columns);
  std::size_t shown = 0;
  for (const auto& [seconds, candidate] : sorted) {
    const std::string names = names_of(candidate->hash, exploration);
    if (shown >= NumShown && names.empty()) continue;
    ++shown;
    std::vector<std::string> cells = {candidate->index.value_or(candidate->hash.substr(0, 12))};
    if (is_to_cost) cells.push_back(microseconds_text(seconds));
    cells.push_back(microseconds_text(seconds_of(candidate->composed)));
    cells.push_back(microseconds_text(seconds_of(candidate->end_to_end)));
    for (const std::string& model : models)
      cells.push_back(microseconds_text(candidate->predicted(model)));
    cells.push_back(names);
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text(2));
}

// Prints how many of the schedules that were solved end to end were compared with the energy.
void print_verified(const std::vector<Candidate>& candidates) {
  std::size_t num_solved = 0;
  std::size_t num_verified = 0;
  double worst = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.end_to_end || !candidate.end_to_end->is_ok()) continue;
    ++num_solved;
    if (!candidate.end_to_end->small_error) continue;
    ++num_verified;
    worst = std::max(worst, *candidate.end_to_end->small_error);
  }
  if (num_verified == 0) return;
  fmt::print(
      "\nof {} run end to end {} were verified on the small instance: largest error {:.1e}\n",
      num_solved, num_verified, worst);
}

SearchedBy searched_by(const PredictedExploration& prediction) {
  return {prediction.request().search, prediction.request().search_options,
          prediction.figures(),        prediction.remark(),
          prediction.ending(),         prediction.seconds(),
          prediction.proposed()};
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

// Prints after how many look-ups the best time fell, and to what.
void print_curve(const PredictedExploration& prediction) {
  Table table({"looked up", "best so far us", "off the best known"});
  for (const BestPoint& point : best_so_far(prediction.events())) {
    table.add({fmt::to_string(point.measured), microseconds_text(point.best),
               fmt::format("{:.2f} %", 100 * (point.best / prediction.stored()->best() - 1))});
  }
  if (!table.empty()) fmt::print("\n{}", table.text(2));
}

Json curve_json(const std::vector<BestPoint>& curve) {
  Json json = Json::array();
  for (const auto& [measured, at, best] : curve)
    json.push_back({{"looked_up", measured}, {"seconds", at}, {"best", best}});
  return json;
}

// The runs of searches that the store has recorded, as a replay tells of itself.
Json recorded_json(const StoredTimes& stored, const std::string& problem) {
  auto runs = require(stored.store().list<SearchRunRecord>({problem, stored.device().signature}));
  Json json = Json::array();
  for (const SearchCurves& curves : recorded_curves(std::move(runs), stored.kind())) {
    json.push_back({{"label", curves.label}, {"runs", Json::array()}});
    for (const SearchCurve& run : curves.runs) {
      json.back()["runs"].push_back({{"seed", run.seed},
                                     {"looked_up", run.num_measured},
                                     {"seconds", run.seconds},
                                     {"ending", to_string(run.ending)},
                                     {"figures", figures_json(run.figures)},
                                     {"curve", curve_json(run.best)}});
    }
  }
  return json;
}

}  // namespace

void print_exploration(Session& session, const Exploration& exploration) {
  const Measurer& measurer = exploration.measurer();
  const std::vector<Candidate> candidates = measurer.candidates();
  std::vector<std::pair<double, const Candidate*>> sorted;
  std::map<std::string, int> failures;
  for (const Candidate& candidate : candidates) {
    const auto seconds = measurer.seconds(candidate.hash);
    const ScheduleResult* result = candidate.outcome();
    if (seconds && std::isfinite(*seconds)) {
      sorted.emplace_back(*seconds, &candidate);
    } else if (result != nullptr && !result->is_ok()) {
      ++failures[fmt::format("{}: {}", to_string(result->status), result->reason)];
    }
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<double, const Candidate*>::first);
  fmt::print("{}, {}, on {}\n", measurer.problem().name, measurer.problem().title,
             measurer.device().name);
  fmt::print("{} schedules, {} distinct programs of {} different steps; {} steps measured now\n",
             candidates.size(), num_programs(candidates), measurer.num_steps(),
             measurer.num_measured());
  print_pins(exploration.request().pins.texts(session.constructs()));
  fmt::print("\n");
  print_table(sorted, exploration, predicting_models(session, exploration.request().target));
  const auto fastest = std::ranges::find_if(
      sorted, [&](const auto& its) { return keeps_pins(its.second->hash, exploration); });
  if (fastest != sorted.end())
    fmt::print("\nthe fastest:\n{}", indented_schedule(fastest->second->text));
  print_searched(searched_by(exploration));
  print_verified(candidates);
  for (const auto& [why, count] : failures) fmt::print("\n{} without a time: {}\n", count, why);
  if (const FittingSchedules& fitting = exploration.fitting(); fitting.num_refused() > 0) {
    fmt::print("\n{} do not fit and were left out: {}\n", fitting.num_refused(), fitting.why());
  }
  if (const auto others = other_devices(exploration); !others.empty()) {
    fmt::print("\nthe store also has results of other devices, which stay apart: {}\n",
               fmt::join(others, ", "));
  }
}

void print_exploration_json(Session& session, const Exploration& exploration) {
  const ExplorationRequest& request = exploration.request();
  const Measurer& measurer = exploration.measurer();
  const FittingSchedules& fitting = exploration.fitting();
  const std::vector<Candidate> candidates = measurer.candidates();
  Json json = {{"problem", measurer.problem().name},
               {"signature", measurer.problem().signature},
               {"title", measurer.problem().title},
               {"space", request.space != nullptr ? request.space->id() : FullSpaceName},
               {"pins", request.pins.texts(session.constructs())},
               {"device", measurer.device().name},
               {"objective", to_string(measurer.objective())},
               {"search", searched_json(searched_by(exploration))},
               {"programs", num_programs(candidates)},
               {"steps", measurer.num_steps()},
               {"measured", measurer.num_measured()},
               {"unfit", fitting.num_refused()},
               {"why_unfit", fitting.why()},
               {"other_devices", other_devices(exploration)},
               {"marks", Json::object()},
               {"candidates", Json::array()}};
  for (const NamedProposal& its : exploration.named()) json["marks"][its.name] = its.proposal.hash;
  for (const Candidate& candidate : candidates) {
    const ScheduleResult* result = candidate.outcome();
    const auto& solved = candidate.end_to_end;
    Json models = Json::object();
    for (const auto& [model, prediction] : candidate.predictions)
      models[model] = plain(prediction.nonlinear_seconds);
    json["candidates"].push_back(
        {{"index", plain(candidate.index)},
         {"hash", candidate.hash},
         {"keeps_pins", keeps_pins(candidate.hash, exploration)},
         {"program", candidate.program.empty() ? Json() : Json(candidate.program)},
         {"seconds", plain(measurer.seconds(candidate.hash))},
         {"composed", plain(seconds_of(candidate.composed))},
         {"end_to_end", plain(seconds_of(candidate.end_to_end))},
         {"verification_error", solved ? plain(solved->verification_error) : Json()},
         {"small_error", solved ? plain(solved->small_error) : Json()},
         {"predicted", models},
         {"status", result ? Json(to_string(result->status)) : Json()},
         {"reason", result ? result->reason : ""},
         {"schedule", candidate.text}});
  }
  print_json(json);
}

void print_prediction(const PredictedExploration& prediction) {
  const std::vector<PredictedSchedule> schedules = prediction.schedules();
  const bool is_replay = prediction.stored() != nullptr;
  print_head(prediction, schedules.size());
  if (schedules.empty()) return;
  std::vector<Table::Column> columns = {left("schedule")};
  if (is_replay) columns.push_back("stored us");
  for (const auto& [model, seconds] : schedules.front().seconds) columns.push_back(model + " us");
  columns.push_back(left(""));
  Table table(columns);
  std::size_t num_shown = 0;
  for (const PredictedSchedule& its : schedules) {
    if (num_shown >= NumShown && its.names.empty()) continue;
    ++num_shown;
    std::vector<std::string> cells = {its.proposal.index.value_or(its.proposal.hash.substr(0, 12))};
    if (its.stored) cells.push_back(microseconds_text(*its.stored));
    for (const auto& [model, seconds] : its.seconds) cells.push_back(microseconds_text(seconds));
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
    json["best_known"] = plain(stored->best());
    json["looked_up"] = prediction.events().size();
    json["curve"] = curve_json(best_so_far(prediction.events()));
    json["recorded"] = recorded_json(*stored, problem.signature);
  }
  for (const PredictedSchedule& its : prediction.schedules()) {
    for (const std::string& name : its.names) json["marks"][name] = its.proposal.hash;
    json["candidates"].push_back({{"index", plain(its.proposal.index)},
                                  {"hash", its.proposal.hash},
                                  {"keeps_pins", its.keeps_pins},
                                  {"predicted", plain(its.seconds)},
                                  {"schedule", its.proposal.text}});
    if (its.stored) {
      json["candidates"].back()["stored"] =
          std::isfinite(*its.stored) ? Json(*its.stored) : Json("failed");
    }
  }
  print_json(json);
}

}  // namespace thallo::cli
