// Finds out what the switches of a search buy (core/explore/search/ablation.h), by predicted times,
// in a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/explore/search/ablation.h"
#include "core/explore/space/target.h"
#include "gui/base/remote.h"
#include "gui/jobs/job_runner.h"

namespace thallo::gui {

struct AblationTask {
  QString search;
  QStringList switches;    // options of the search that are on or off
  QStringList pins = {};   // as a schedule writes them
  int secondsOfARun = 20;  // after which a run ends
};

struct AblationTable {
  QString search;
  QStringList switches;
  Ablation found;
  std::size_t numAsked = 0;  // runs; more than there are rows if it was stopped
};

class AblationModel final : public QObject {
  Q_OBJECT

 public:
  ~AblationModel() override;

  // The table of the last task. Busy while it runs.
  const Remote<AblationTable>& table() const { return m_table; }
  bool isRunning() const { return m_table.state == RemoteState::Busy; }
  // Runs that were finished and asked for, while it runs.
  std::size_t numDone() const { return m_numDone; }
  std::size_t numAsked() const { return m_numAsked; }

  void start(const ExplorationTarget& target, const AblationTask& task);
  // Ends it; the runs that were finished are shown.
  void stop();
  // Ends it, and shows nothing: another problem is opened.
  void forget();

 Q_SIGNALS:
  void changed();

 private:
  Remote<AblationTable> m_table;
  std::size_t m_numDone = 0, m_numAsked = 0;
  std::shared_ptr<std::atomic<bool>> m_isCancelled;  // of the last start
  JobRunner m_runner{1};
};

}  // namespace thallo::gui
