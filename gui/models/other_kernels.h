// The texts of the kernels of the schedule that the current one is compared with, as a worker
// generates them. They are made while somebody wants to see them.
#pragma once

#include <map>

#include "gui/jobs/worker_client.h"
#include "gui/models/comparison_model.h"

namespace thallo::gui {

struct OtherKernel {
  QString text;
  QStringList fields;  // as KernelRow::fields

  // The text with arguments named as in a kernel of these fields, since a field that one of them
  // has more gives all that follow another number. What that kernel has not, gets a stroke: f3'.
  QString namedAsIn(const QStringList& otherFields) const;
};

struct OtherTexts {
  QString schedule;                        // its name
  std::map<QString, OtherKernel> kernels;  // by the label of the step

  const OtherKernel* find(const QString& label) const;  // null when there is none
};

class OtherKernels final : public QObject {
  Q_OBJECT

 public:
  OtherKernels(QStringList workerCommand, ProblemModel& problems, ComparisonModel& comparison,
               QObject* parent = nullptr);

  // Empty where nothing is compared with.
  const Remote<OtherTexts>& texts() const { return m_texts; }
  // Is somebody looking?
  void setWanted(bool isWanted);

 Q_SIGNALS:
  void textsChanged();

 private:
  void onProblemChanged();
  void refresh();
  void ask(const ComparisonModel::Other& other);
  void set(Remote<OtherTexts> texts);

  ProblemModel& m_problems;
  ComparisonModel& m_comparison;
  WorkerClient m_worker;
  bool m_isWanted = false, m_isOpen = false;
  std::optional<ComparisonModel::Other> m_asked;
  OtherTexts m_arriving;
  int m_round = 0;  // messages about another are stale
  Remote<OtherTexts> m_texts;
};

}  // namespace thallo::gui
