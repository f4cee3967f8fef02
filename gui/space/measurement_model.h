// Measures one schedule of the open problem: compiles it, times its steps, and writes them to the
// store, where they replace earlier times. Runs in a thread of its own, with workers as child
// processes.
#pragma once

#include <memory>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/explore/measure/measurer.h"
#include "core/explore/space/target.h"
#include "gui/jobs/job_runner.h"

namespace thallo::gui {

struct MeasurementTask {
  QString name;  // of the schedule, for texts
  Proposal proposal;
  // True if whole solves are timed, too, because the times in the store are of whole solves.
  bool isSolved = false;
};

class MeasurementModel final : public QObject {
  Q_OBJECT

 public:
  enum class State { Idle, Running, Done, Failed };

  explicit MeasurementModel(QStringList workerCommand);
  // Ends the workers.
  ~MeasurementModel() override;

  State state() const { return m_state; }
  bool isRunning() const { return m_state == State::Running; }
  // Of the last start.
  const QString& name() const { return m_name; }
  const QString& hash() const { return m_hash; }
  const QString& doing() const { return m_doing; }  // "measuring steps, 3 of 12"
  const QString& error() const { return m_error; }  // why the last one failed
  // The file that it wrote to, which is another than at the start if that was deleted meanwhile.
  // Empty once it is cancelled.
  const QString& store() const { return m_store; }

  // Cancels a running measurement first.
  void start(const ExplorationTarget& target, const QString& store, const MeasurementTask& task);
  // Ends the workers. Steps that were timed stay in the store.
  void cancel();

 Q_SIGNALS:
  // Emitted when the state or the progress changes.
  void changed();

 private:
  struct Run;
  static Expected<void> measure(Measurer& measurer, const MeasurementTask& task);
  static Expected<void> measure(const std::shared_ptr<Run>& run, MeasurementModel* model);
  void take(const MeasurerProgress& progress);
  void setState(State state);

  QStringList m_workerCommand;
  State m_state = State::Idle;
  QString m_name, m_hash, m_doing, m_error, m_store;
  std::shared_ptr<Run> m_run;
  JobRunner m_runner{1};
};

}  // namespace thallo::gui
