// The kernels of the current schedule: their texts as a worker generates them, what the compiler of
// that worker makes of them, what they cost, and who asked for them. Kernels are made while
// somebody wants to see them. Texts arrive first, all at once, then kernel by kernel what
// compiling shows.
#pragma once

#include <QTimer>

#include "core/explore/work/kernel_text.h"
#include "gui/jobs/worker_client.h"
#include "gui/models/kernel_data.h"
#include "gui/models/schedule_model.h"

namespace thallo::gui {

class KernelModel final : public QObject {
  Q_OBJECT

 public:
  KernelModel(QStringList workerCommand, JobRunner& analysisRunner, ProblemModel& problems,
              ScheduleModel& schedule, QObject* parent = nullptr);

  // Ready as soon as there are texts; KernelSnapshot says what is still to come. Failed when there
  // are no texts, and when the worker has crashed.
  const Remote<KernelSnapshot>& kernels() const { return m_kernels; }
  // Is somebody looking? What changes while nobody does is made when somebody does again.
  void setWanted(bool isWanted);
  // Makes the kernels again, after a failure.
  void retry();
  const WorkerClient& worker() const { return m_worker; }

  // What is known of the step of that label of the current schedule, for the inspector:
  // {"moves", "4.19 MB"}.
  std::vector<std::pair<QString, QString>> describe(const QString& label) const;

 Q_SIGNALS:
  void kernelsChanged();

 private:
  void onProblemChanged();
  void onScheduleChanged();
  void start();
  void ask(bool compiles);
  void take(const WorkerMessage& message);
  void finishTexts(const Expected<WorkerMessage>& answer);
  void finishCompiling(const Expected<WorkerMessage>& answer);
  void startSteps();
  void show(RemoteState state, const QString& error = {});

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  WorkerClient m_worker;
  bool m_isWanted = false, m_isOpen = false;
  // What is known of the kernels of m_shown.
  std::shared_ptr<const ScheduleSnapshot> m_shown;
  std::vector<KernelText> m_texts;
  bool m_hasTexts = false;  // of all kernels
  std::vector<StepFacts> m_steps;
  KernelSnapshot m_frame;  // all but its rows
  QTimer m_soon;           // what arrives kernel by kernel is shown a few times a second
  int m_round = 0;         // messages about another are stale
  Remote<KernelSnapshot> m_kernels;
};

}  // namespace thallo::gui
