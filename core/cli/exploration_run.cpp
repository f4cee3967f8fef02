#include "core/cli/exploration_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cli/exploration_output.h"
#include "core/cli/interrupt.h"
#include "core/cli/progress_bar.h"
#include "core/cli/require.h"
#include "core/explore/store/store.h"

namespace thallo::cli {
namespace {

// Two bars: one for the schedules that were measured, one for those that are solved. The text after
// the bar says what is being done: "timing steps, 12 of 40".
class ExplorationBars {
 public:
  void show(const MeasurerProgress& progress) {
    const bool is_solving = progress.stage == MeasurerProgress::Stage::Solve;
    const bool is_same = bar_ && is_solving_ == is_solving && total_ == progress.schedules_total &&
                         done_ <= progress.schedules_done;
    if (!is_same) {
      is_solving_ = is_solving;
      total_ = progress.schedules_total;
      bar_.emplace(is_solving ? "running schedules" : "exploring schedules", total_);
    }
    done_ = progress.schedules_done;
    constexpr const char* Doing[] = {"compiling", "timing steps", "running"};
    const std::string note =
        fmt::format("{}, {} of {}", Doing[static_cast<std::size_t>(progress.stage)], progress.done,
                    progress.total);
    bar_->update(done_, is_solving ? std::string() : note);
  }

 private:
  std::optional<ProgressBar> bar_;
  bool is_solving_ = false;
  std::int64_t done_ = 0, total_ = 0;
};

std::vector<MarkedSchedule> marked(const Exploration& exploration) {
  std::vector<MarkedSchedule> result;
  for (const NamedProposal& named : exploration.named())
    result.push_back({named.name, named.proposal.hash});
  return result;
}

std::vector<std::string> other_devices(const Exploration& exploration) {
  const Measurer& measurer = exploration.measurer();
  const auto store = require(MeasurementStore::open(exploration.request().measurer.resources.store,
                                                    MeasurementStore::Access::Read));
  std::vector<std::string> others;
  for (const DeviceRecord& device : require(store.list<DeviceRecord>())) {
    if (device.signature == measurer.device().signature) continue;
    const StoreSelection its{measurer.problem().signature, device.signature};
    if (!require(store.list<ScheduleResult>(its)).empty()) others.push_back(device.name);
  }
  return others;
}

}  // namespace

ExitCode run_exploration(Session& session, ExplorationRequest request, bool as_json) {
  static InterruptWatch interrupt;
  MeasurementOptions& resources = request.measurer.resources;
  resources.worker_command = {"/proc/self/exe", "worker"};
  resources.is_cancelled = &interrupt.is_interrupted();
  if (resources.jobs == 0)
    resources.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const StopScope scope(interrupt.stop());
  const auto exploration = require(Exploration::open(session, std::move(request)));
  interrupt.keep();
  const CostModel& model = *require(session.cost_model(exploration->request().target.model));
  const std::string caveat = model.caveat(exploration->measurer().device_spec());
  if (!caveat.empty()) logger("cli").warn("{}", caveat);
  {
    ExplorationBars bars;
    exploration->on_progress([&bars](const MeasurerProgress& progress) { bars.show(progress); });
    require(exploration->run());
    exploration->on_progress({});
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
                                   session.cost_models().names(),
                                   space != nullptr ? space->id() : std::string(FullSpaceName),
                                   other_devices(*exploration)};
  (as_json ? print_exploration_json : print_exploration)(outcome);
  return ExitCode::Ok;
}

}  // namespace thallo::cli
