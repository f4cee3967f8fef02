// Runs the current schedule in a worker process, one run at a time. Runs of the open problem are
// kept for comparison. They reappear when the problem is opened again with the same options on the
// same device. A run that is in progress when the problem is left is cancelled.
#pragma once

#include <QTemporaryDir>

#include "core/explore/worker/answers.h"
#include "gui/jobs/worker_client.h"
#include "gui/schedule/schedule_model.h"
#include "gui/solve/solve_data.h"

namespace thallo::gui {

// Parses "nIterations=20 lIterations=50". Fails if the text is not such a list, or if an option or
// value is unknown; lists the legal ones.
Expected<std::vector<std::pair<QString, QString>>> readSolverOptions(const QString& text);

// Fills in the answer that a worker sent at the end of the run.
void takeAnswer(const RunAnswer& answer, SolveRun& run);

// What can be chosen for the linear solve of a step: solvers of Thallo and of plugins, and
// preconditioners.
struct SolverChoice {
  QString value;  // of the solver option; empty: the option is not set
  QString label, doc;
};

std::vector<SolverChoice> linearSolverChoices(Session& session);
std::vector<SolverChoice> preconditionerChoices(Session& session);

class SolveModel final : public QObject {
  Q_OBJECT

 public:
  SolveModel(QStringList workerCommand, ProblemModel& problems, ScheduleModel& schedule);

  // Empty before the first run, Busy during a run, Failed with the reason if the last run failed.
  const Remote<SolveSnapshot>& runs() const { return m_runs; }
  const SolveSettings& settings() const { return m_settings; }
  void setSettings(const SolveSettings& settings);
  bool isRunning() const { return m_worker.isBusy(); }
  qint64 workerProcess() const { return m_worker.processId(); }  // 0 if there is none

  void start();
  // Ends the run at its next iteration and keeps what it reached.
  void cancel() { m_worker.cancel(); }
  void removeRun(int number);
  // Calls the run by this name; by its schedule's if it is empty.
  void renameRun(int number, const QString& name);
  void hideRun(int number, bool isHidden);

 Q_SIGNALS:
  void runsChanged();
  void settingsChanged();

 private:
  void onProblemChanged();
  void onMessage(const WorkerMessage& message);
  void onAnswer(const WorkAnswer& answer);
  // Changes the current run.
  void change(const std::function<void(SolveRun&)>& how, RemoteState state);
  // Changes any run, without changing the state.
  void edit(int number, const std::function<void(SolveRun&)>& how);
  // Returns what is predicted for the run that starts now (SolveRun::predicted).
  std::optional<std::pair<double, double>> prediction() const;

  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  WorkerClient m_worker;
  QTemporaryDir m_folder;  // contains a folder for each run
  SolveSettings m_settings;
  Remote<SolveSnapshot> m_runs;
  std::optional<ProblemRequest> m_request;  // the request that these runs belong to
  std::vector<std::pair<ProblemRequest, SolveSnapshot>> m_left;
  int m_lastNumber = 0;
};

}  // namespace thallo::gui
