// What the schedules of the open problem would take if its data were larger, or its linear solves
// longer, and on other devices: predicted, in a thread of its own, while somebody looks.
#pragma once

#include <utility>
#include <vector>

#include "core/explore/report/what_if.h"
#include "gui/jobs/job_runner.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

// A schedule's times over a varied quantity.
struct WhatIfLine {
  QString name;
  std::vector<double> seconds;  // one a point; infinite where it does not fit

  friend bool operator==(const WhatIfLine&, const WhatIfLine&) = default;
};

struct WhatIfSnapshot {
  WhatIfAxis axis = WhatIfAxis::Points;
  QString quantity;             // "unknowns", "linear iterations"
  std::vector<double> amounts;  // of the quantity, ascending
  QStringList texts;            // of each point: "W 128, H 128"
  QStringList chosen;           // of each point: the strategies of auto there; may be empty
  std::size_t here = 0;         // the point of the open problem
  std::vector<WhatIfLine>
      lines;          // the last one is `auto` chosen anew at each point, if it is known
  QStringList notes;  // sentences: where another one is faster, and what auto chooses
  // The times of the schedules on devices, in the order of `lines` without the last.
  std::vector<std::pair<QString, std::vector<double>>> devices;
};

class WhatIfModel final : public QObject {
  Q_OBJECT

 public:
  WhatIfModel(ProblemModel& problems, ScheduleModel& schedule);

  const Remote<WhatIfSnapshot>& result() const { return m_result; }
  WhatIfAxis axis() const { return m_axis; }
  void setAxis(WhatIfAxis axis);
  // True if the predictions are visible. They are only made then.
  bool isShown() const { return m_isShown; }
  void setShown(bool isShown);

 Q_SIGNALS:
  void shownChanged();
  void resultChanged();

 private:
  void refresh();

  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  JobRunner m_runner{1};
  WhatIfAxis m_axis = WhatIfAxis::Points;
  bool m_isShown = false;
  std::vector<std::pair<QString, QString>> m_asked;  // names and texts of the schedules
  std::shared_ptr<OpenProblem> m_askedOf;
  WhatIfAxis m_askedAxis = WhatIfAxis::Points;
  Remote<WhatIfSnapshot> m_result;
};

}  // namespace thallo::gui
