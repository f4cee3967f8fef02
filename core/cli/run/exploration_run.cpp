#include "core/cli/run/exploration_run.h"

#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cli/interrupt.h"
#include "core/cli/output/exploration_output.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

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
  (as_json ? print_exploration_json : print_exploration)(session, *exploration);
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
