// An exploration of the open problem. It runs in a separate thread with workers as child processes,
// and can be started, paused, resumed and cancelled. Measurements are stored at once. A paused
// exploration continues with the same store and the same random draws, so nothing is measured
// twice.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/explore/search/exploration.h"
#include "core/explore/space/target.h"
#include "gui/jobs/job_runner.h"

namespace thallo::gui {

// The user's settings of an exploration.
struct ExplorationSettings {
  QString search = "random";  // of Catalog::searches
  // Names and texts of those options of the search that differ from their defaults.
  std::vector<std::pair<QString, QString>> searchOptions = {};
  QString space = "full";  // explorationSpaces()
  qint64 samples = 200;    // number of draws, if the search is random
  quint64 seed = 1;
  QString objective = "nonlinear";  // explorationObjectives()
  int budgetMinutes = 2;            // 0: no limit
  int workers = 0;                  // that compile; 0: one for each core
  QStringList pins = {};            // as a schedule writes them; SpaceModel sets them

  friend bool operator==(const ExplorationSettings&, const ExplorationSettings&) = default;
};
QStringList explorationSpaces();  // "full", then the published ones
QStringList explorationObjectives();

struct ExplorationProgress {
  QString doing;               // "compiling schedules"
  qint64 done = 0, total = 0;  // progress of `doing`; 0 if it cannot be counted
  QString figures;             // what the search reports about itself; empty if nothing
  // As in MeasurerProgress.
  qint64 schedulesDone = 0, schedulesTotal = 0;
  std::optional<double> secondsLeft;  // an estimate, if possible
};

class ExplorationModel final : public QObject {
  Q_OBJECT

 public:
  enum class State { Idle, Running, Pausing, Paused, Done, Failed };

  explicit ExplorationModel(QStringList workerCommand);
  // Ends the workers.
  ~ExplorationModel() override;

  State state() const { return m_state; }
  bool isRunning() const { return m_state == State::Running || m_state == State::Pausing; }
  // True if it has not ended, though it may be paused.
  bool isUnderWay() const { return isRunning() || m_state == State::Paused; }
  const ExplorationProgress& progress() const { return m_progress; }
  // The file that it writes to, which is another than at the start if that was deleted meanwhile.
  // Empty once it is forgotten.
  const QString& store() const { return m_store; }
  const QString& error() const { return m_error; }  // why the last exploration failed
  // Says why the last exploration ended, and what happened to its schedules. Empty before the first
  // one.
  const QString& ending() const { return m_ending; }
  const ExplorationSettings& settings() const { return m_settings; }  // of the last start

  // Starts an exploration; cancels a running one first.
  void start(const ExplorationTarget& target, const QString& store,
             const ExplorationSettings& settings);
  void pause();
  void resume();
  // Ends the workers; what was measured stays in the store.
  void cancel();
  // Cancels silently, because another problem or store is opened.
  void forget();

 Q_SIGNALS:
  // Emitted when the state or the progress changes.
  void changed();

 private:
  struct Run;
  struct Opened;
  void launch();
  void setState(State state);
  void take(const MeasurerProgress& progress, const QString& store);
  void take(const SearchFigures& figures);
  static Expected<ExplorationEnd> explore(const std::shared_ptr<Run>& run, ExplorationModel* model);

  QStringList m_workerCommand;
  State m_state = State::Idle;
  ExplorationSettings m_settings;
  ExplorationProgress m_progress;
  QString m_error, m_ending, m_store;
  std::shared_ptr<Run> m_run;
  std::optional<bool> m_isSolving;  // absent before the first schedule
  qint64 m_firstDone = 0;           // progress when this stage began, at m_firstTime
  std::chrono::steady_clock::time_point m_firstTime, m_launched;
  std::chrono::milliseconds m_spent{0};  // time before the pause
  JobRunner m_runner{1};
};

}  // namespace thallo::gui
