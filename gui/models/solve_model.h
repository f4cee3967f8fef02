// Runs the current schedule, one run at a time, in a worker process. Runs of the open problem are
// kept to be compared. Those of a problem that was left are there when it is opened again with the
// same options on the same device; one that is under way then is cancelled.
#pragma once

#include <QTemporaryDir>

#include "core/explore/work/run_answer.h"
#include "gui/jobs/worker_client.h"
#include "gui/models/schedule_model.h"
#include "gui/models/solve_data.h"

namespace thallo::gui {

// "nIterations=20 lIterations=50". Fails for a text that is no such list, and for an option or a
// value that is none, with those that there are.
Expected<std::vector<std::pair<QString, QString>>> readSolverOptions(const QString& text);

// Fills in what a worker answered when the run was done.
void takeAnswer(const RunAnswer& answer, SolveRun& run);

class SolveModel final : public QObject {
  Q_OBJECT

 public:
  SolveModel(QStringList workerCommand, ProblemModel& problems, ScheduleModel& schedule,
             QObject* parent = nullptr);

  // Empty before the first run, Busy during one, Failed when the last one did, with its reason.
  const Remote<SolveSnapshot>& runs() const { return m_runs; }
  const SolveSettings& settings() const { return m_settings; }
  void setSettings(const SolveSettings& settings);
  bool isRunning() const { return m_worker.isBusy(); }
  qint64 workerProcess() const { return m_worker.processId(); }  // 0: none

  void start();
  // The run ends at its next iteration, with what it reached.
  void cancel() { m_worker.cancel(); }
  void removeRun(int number);

 Q_SIGNALS:
  void runsChanged();
  void settingsChanged();

 private:
  void onProblemChanged();
  void onMessage(const WorkerMessage& message);
  void onAnswer(const Expected<WorkerMessage>& answer);
  // Changes the run that is under way.
  void change(const std::function<void(SolveRun&)>& how, RemoteState state);

  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  WorkerClient m_worker;
  QTemporaryDir m_folder;  // a folder of each run in it
  SolveSettings m_settings;
  Remote<SolveSnapshot> m_runs;
  std::optional<ProblemRequest> m_request;  // of these runs
  std::vector<std::pair<ProblemRequest, SolveSnapshot>> m_left;
  int m_lastNumber = 0;
};

}  // namespace thallo::gui
