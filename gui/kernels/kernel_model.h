// The kernels of the current schedule: their texts as a worker generates them, what the worker's
// compiler makes of them, what they cost, and which directives asked for them. Kernels are only
// made while they are visible. Texts arrive first, all at once, followed by the results of
// compiling, kernel by kernel.
#pragma once

#include <set>

#include <QTimer>

#include "core/explore/worker/answers.h"
#include "gui/jobs/worker_client.h"
#include "gui/kernels/kernel_data.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

class KernelModel final : public QObject {
  Q_OBJECT

 public:
  KernelModel(QStringList workerCommand, JobRunner& analysisRunner, ProblemModel& problems,
              ScheduleModel& schedule);

  // Ready as soon as there are texts; KernelSnapshot says what is still missing. Failed if there
  // are no texts, or if the worker has crashed.
  const Remote<KernelSnapshot>& kernels() const { return m_kernels; }
  // Tells whether a view shows the kernels. Changes that happen while none does are processed when
  // one does again.
  void setWanted(const QObject* view, bool isWanted);
  // Makes the kernels again, after a failure.
  void retry();
  const WorkerClient& worker() const { return m_worker; }

  // Describes the step with that label for the inspector: {"moves", "4.19 MB"}.
  std::vector<std::pair<QString, QString>> describe(const QString& label) const;

 Q_SIGNALS:
  void kernelsChanged();

 private:
  void onProblemChanged();
  void onScheduleChanged();
  void start();
  void ask(bool compiles);
  void take(const WorkerMessage& message);
  void finishTexts(const WorkAnswer& answer);
  void finishCompiling(const WorkAnswer& answer);
  void startSteps();
  void show(RemoteState state, const QString& error = {});

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  WorkerClient m_worker;
  std::set<const QObject*> m_wantedBy;
  bool m_isOpen = false;
  // The members below describe the kernels of m_shown.
  std::shared_ptr<const ScheduleSnapshot> m_shown;
  std::vector<KernelText> m_texts;
  bool m_hasTexts = false;  // for all kernels
  std::vector<StepFacts> m_steps;
  KernelSnapshot m_frame;  // everything except the rows
  QTimer m_soon;           // limits updates to a few per second while kernels arrive
  int m_round = 0;         // messages about another round are stale
  Remote<KernelSnapshot> m_kernels;
};

}  // namespace thallo::gui
