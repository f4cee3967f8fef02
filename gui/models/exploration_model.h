// An exploration of the open problem, run in a thread of its own with workers as child processes:
// it is started, paused, taken up again and cancelled. What it measures is in the store at once; an
// exploration that was paused goes on with the same store and the same draws, so that nothing is
// measured twice.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/explore/exploration.h"
#include "core/explore/work/target.h"
#include "gui/jobs/job_runner.h"

namespace thallo::gui {

// What a person decides about an exploration.
struct ExplorationSettings {
  QString search = "random";  // explorationSearches()
  QString space = "full";     // explorationSpaces()
  qint64 samples = 200;       // how many to draw, if the search draws
  quint64 seed = 1;
  QString objective = "nonlinear";  // explorationObjectives()
  int budgetMinutes = 2;            // 0: until it is done
  int workers = 0;                  // that compile; 0: as many as there are cores

  friend bool operator==(const ExplorationSettings&, const ExplorationSettings&) = default;
};
struct ExplorationSearch {
  QString name, doc;  // a sentence
  bool takesSamples;
};
std::vector<ExplorationSearch> explorationSearches();
QStringList explorationSpaces();  // "full", then the published ones
QStringList explorationObjectives();

struct ExplorationProgress {
  QString doing;               // "compiling schedules"
  qint64 done = 0, total = 0;  // of what is being done; 0 where it cannot be counted
  // As ExplorerProgress has them.
  qint64 schedulesDone = 0, schedulesTotal = 0;
  std::optional<double> secondsLeft;  // for these, as far as it can be told
};

class ExplorationModel final : public QObject {
  Q_OBJECT

 public:
  enum class State { Idle, Running, Pausing, Paused, Done, Failed };

  explicit ExplorationModel(QStringList workerCommand, QObject* parent = nullptr);
  // Ends the workers.
  ~ExplorationModel() override;

  State state() const { return m_state; }
  bool isRunning() const { return m_state == State::Running || m_state == State::Pausing; }
  const ExplorationProgress& progress() const { return m_progress; }
  const QString& error() const { return m_error; }  // of Failed
  // Of the last exploration: why it ended, and what became of its schedules. Empty before.
  const QString& ending() const { return m_ending; }
  const ExplorationSettings& settings() const { return m_settings; }  // of the last start

  // Cancels what there is.
  void start(const ExplorationTarget& target, const QString& store,
             const ExplorationSettings& settings);
  void pause();
  void resume();
  // Workers end; what was measured stays in the store.
  void cancel();
  // The same without a word, since another problem or store is looked at.
  void forget();

 Q_SIGNALS:
  // The state or the progress.
  void changed();

 private:
  struct Run;
  struct Opened;
  void launch();
  void setState(State state);
  void take(const ExplorerProgress& progress);
  static Expected<ExplorationEnd> explore(const std::shared_ptr<Run>& run, ExplorationModel* model);

  QStringList m_workerCommand;
  State m_state = State::Idle;
  ExplorationSettings m_settings;
  ExplorationProgress m_progress;
  QString m_error, m_ending;
  std::shared_ptr<Run> m_run;
  std::optional<bool> m_isSolving;  // absent before the first schedule
  qint64 m_firstDone = 0;           // when this began, at m_firstTime
  std::chrono::steady_clock::time_point m_firstTime, m_launched;
  std::chrono::milliseconds m_spent{0};  // before it was paused
  JobRunner m_runner{1};
};

}  // namespace thallo::gui
