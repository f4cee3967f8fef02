#include "core/cli/run/exploration_run.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cli/interrupt.h"
#include "core/cli/output/exploration_output.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/output/search_output.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/explore/report/search_curves.h"
#include "core/explore/store/store.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

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

// The fastest ten and the named schedules, then what searched; as JSON all schedules.
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

// Bars: one for a search that works for long before it proposes something, one for the schedules
// that were measured, one for those that are solved. The text after the bar says what is being
// done: "compiled 9 of 20, timed steps 12 of 40".
class ExplorationBars {
 public:
  // The bar counts the first figure of a search; the others stand behind it.
  void show(const SearchFigures& figures) {
    if (figures.empty()) return;
    if (!is_searching_) {
      is_searching_ = true;
      bar_.emplace("searching: " + figures.front().name, 0);
    }
    bar_->update(static_cast<std::int64_t>(figures.front().value),
                 figures_text(std::span(figures).subspan(1)));
  }
  void show(const MeasurerProgress& progress) {
    const MeasurerProgress::Count& schedules = progress.schedules;
    const bool is_same = bar_ && !is_searching_ && is_solving_ == progress.is_solving &&
                         total_ == schedules.total && done_ <= schedules.done;
    if (!is_same) {
      is_searching_ = false;
      is_solving_ = progress.is_solving;
      total_ = schedules.total;
      bar_.emplace(is_solving_ ? "running schedules" : "exploring schedules", total_);
    }
    done_ = schedules.done;
    std::vector<std::string> notes;
    const auto note = [&notes](const char* what, const MeasurerProgress::Count& count) {
      if (count.done < count.total)
        notes.push_back(fmt::format("{} {} of {}", what, count.done, count.total));
    };
    note("compiled", progress.compiled);
    note("timed steps", progress.timed);
    bar_->update(done_, fmt::format("{}", fmt::join(notes, ", ")));
  }

 private:
  std::optional<ProgressBar> bar_;
  bool is_searching_ = false, is_solving_ = false;
  std::int64_t done_ = 0, total_ = 0;
};

std::vector<MarkedSchedule> marked(const Exploration& exploration) {
  std::vector<MarkedSchedule> result;
  for (const NamedProposal& named : exploration.named())
    result.push_back({named.name, named.proposal.hash, named.keeps_pins});
  return result;
}

SearchedBy searched(const Exploration& exploration) {
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
std::vector<std::string> predicting_models(cli::Session& session, const ExplorationTarget& target) {
  std::vector<std::string> names;
  for (const auto* entry : session.cost_models().entries())
    if (!entry->item->is_fitted() || entry->name == target.model) names.push_back(entry->name);
  if (std::ranges::find(names, target.model) == names.end()) names.push_back(target.model);
  return names;
}

// A script must not take what an interrupted search has found for all that it finds.
ExitCode exit_code_of(SearchEnding ending) {
  return ending == SearchEnding::Cancelled ? ExitCode::GoalMissed : ExitCode::Ok;
}

}  // namespace

ExitCode run_exploration(Session& session, ExplorationRequest request, bool as_json) {
  static InterruptWatch interrupt;
  MeasurementOptions& resources = request.measurer.resources;
  resources.worker_command = {"/proc/self/exe", "worker"};
  resources.is_cancelled = &interrupt.is_interrupted();
  const StopScope scope(interrupt.stop());
  const auto exploration = require(Exploration::open(session, std::move(request)));
  interrupt.keep();
  const CostModel& model = *require(session.cost_model(exploration->request().target.model));
  const std::string caveat = model.caveat(exploration->measurer().device_spec());
  if (!caveat.empty()) logger("cli").warn("{}", caveat);
  {
    ExplorationBars bars;
    exploration->on_progress([&bars](const MeasurerProgress& progress) { bars.show(progress); });
    exploration->on_search_told([&bars](const SearchFigures& figures) { bars.show(figures); });
    require(exploration->run());
    exploration->on_progress({});
    exploration->on_search_told([](const SearchFigures&) {});
  }
  if (!exploration->has_measured()) {
    throw UserError(
        "the budget was used up before one schedule was looked at: allow more time "
        "with --budget");
  }
  const IndexedSpace* space = exploration->request().space;
  const ExplorationOutcome outcome{exploration->measurer(),
                                   exploration->fitting(),
                                   marked(*exploration),
                                   predicting_models(session, exploration->request().target),
                                   space != nullptr ? space->id() : std::string(FullSpaceName),
                                   other_devices(*exploration),
                                   searched(*exploration),
                                   exploration->request().pins.texts(session.constructs())};
  (as_json ? print_exploration_json : print_exploration)(outcome);
  return exit_code_of(exploration->ending());
}

ExitCode run_prediction(Session& session, ExplorationRequest request,
                        const std::optional<StoredTimesOptions>& replayed, bool as_json) {
  static InterruptWatch interrupt;
  request.measurer.resources.is_cancelled = &interrupt.is_interrupted();
  const StopScope scope(interrupt.stop());
  const auto prediction =
      require(PredictedExploration::open(session, std::move(request), replayed));
  interrupt.keep();
  {
    ExplorationBars bars;
    prediction->on_search_told([&bars](const SearchFigures& figures) { bars.show(figures); });
    require(prediction->run());
    prediction->on_search_told([](const SearchFigures&) {});
  }
  (as_json ? print_prediction_json : print_prediction)(*prediction);
  return exit_code_of(prediction->ending());
}

}  // namespace thallo::cli
