#include "gui/space/ablation_model.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stop_token>

#include "core/explore/space/explored_problem.h"
#include "core/plugin/session.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr const char* AblationSlot = "ablation";

AblationTable tableOf(const AblationTask& task, const Ablation& ablation) {
  AblationTable table{.search = task.search,
                      .switches = task.switches,
                      .figureNames = {},
                      .lines = {},
                      .numAsked = std::size_t{1} << task.switches.size()};
  double best = std::numeric_limits<double>::infinity();
  for (const AblationRow& row : ablation.rows) best = std::min(best, row.best);
  for (const AblationRow& row : ablation.rows) {
    AblationLine& line = table.lines.emplace_back();
    for (const auto& [name, isOn] : row.switches) line.isOn.push_back(isOn);
    for (const SearchFigure& figure : row.figures) {
      if (table.lines.size() == 1) table.figureNames.append(toQt(figure.name));
      line.figures.append(toQt(figure_text(figure)));
    }
    line.searched = row.searched;
    line.hasEnded = row.has_ended;
    line.predicted = row.best;
    line.percentOff = 100 * (row.best / best - 1);
  }
  return table;
}

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
          const auto problem = ExploredProblem::open(session, target);
          if (!problem) return fail(problem.error());
          auto pins = problem->read_pins(task.pins.join('\n').toStdString());
          if (!pins) return fail(pins.error());
          request.pins = *std::move(pins);
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
        const auto ablation = ablate(session, request, switches, {}, told);
        if (!ablation) return fail(ablation.error());
        return tableOf(task, *ablation);
      },
      [this](Expected<AblationTable> table) {
        m_table = table ? Remote<AblationTable>::ready(*std::move(table))
                        : m_table.failed(toQt(table.error()));
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
