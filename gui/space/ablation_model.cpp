#include "gui/space/ablation_model.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "core/explore/space/explored_problem.h"
#include "core/plugin/session.h"

namespace thallo::gui {
namespace {

constexpr const char* AblationSlot = "ablation";

}  // namespace

AblationModel::~AblationModel() {
  if (m_isCancelled) *m_isCancelled = true;
}

void AblationModel::start(const ExplorationTarget& target, const AblationTask& task) {
  stop();
  m_isCancelled = std::make_shared<std::atomic<bool>>(false);
  m_numDone = 0;
  m_numAsked = std::size_t{1} << task.switches.size();
  m_table = m_table.busy();
  m_runner.start(
      AblationSlot,
      [this, target, task,
       isCancelled = m_isCancelled](const std::stop_token&) -> Expected<AblationTable> {
        Session session(target.plugin_path);
        ExplorationRequest request{.target = target, .search = task.search.toStdString()};
        if (!task.pins.isEmpty()) {
          THALLO_TRY(const auto problem, ExploredProblem::open(session, target));
          THALLO_TRY(request.pins, problem.read_pins(task.pins.join('\n').toStdString()));
        }
        MeasurementOptions& resources = request.measurer.resources;
        resources.budget = std::chrono::seconds(task.secondsOfARun);
        resources.is_cancelled = isCancelled.get();
        std::vector<std::string> switches;
        for (const QString& name : task.switches) switches.push_back(name.toStdString());
        // This object outlives the thread, because its runner waits for the thread.
        const auto told = [this, isCancelled](std::size_t run) {
          m_runner.post([this, isCancelled, run] {
            if (isCancelled != m_isCancelled) return;
            m_numDone = run;
            Q_EMIT changed();
          });
        };
        THALLO_TRY(auto found, ablate(session, request, switches, {}, told));
        return AblationTable{task.search, task.switches, std::move(found),
                             std::size_t{1} << task.switches.size()};
      },
      [this](Expected<AblationTable> table) {
        m_table = m_table.next(std::move(table));
        Q_EMIT changed();
      });
  Q_EMIT changed();
}

void AblationModel::stop() {
  if (m_isCancelled) *m_isCancelled = true;
}

void AblationModel::forget() {
  stop();
  m_isCancelled.reset();
  m_runner.cancel(AblationSlot);
  m_table = {};
  Q_EMIT changed();
}

}  // namespace thallo::gui
