// The schedule that the current one is compared with, which is the same on all pages, and the
// differences between the two.
#pragma once

#include <vector>

#include "gui/schedule/schedule_comparison.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

struct CompareWith {
  enum class Kind { Nothing, Named, Previous };
  Kind kind = Kind::Nothing;
  QString name = {};  // for Kind::Named

  friend bool operator==(const CompareWith&, const CompareWith&) = default;
};

class ComparisonModel final : public QObject {
  Q_OBJECT

 public:
  ComparisonModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule);

  const CompareWith& with() const { return m_with; }
  void setWith(const CompareWith& with);
  // Returns everything that can be compared with: nothing, the schedule before the last change, the
  // named schedules of the problem, and those on the shelf.
  std::vector<CompareWith> choices() const;
  QString textOf(const CompareWith& choice) const;

  // The schedule that the current one is compared with.
  struct Other {
    QString name, text;

    friend bool operator==(const Other&, const Other&) = default;
  };
  // Absent if nothing is chosen, or if there is no previous schedule.
  std::optional<Other> other() const;

  // True if the comparison is visible. It is only made then.
  bool isShown() const { return m_isShown; }
  void setShown(bool isShown);
  // Empty if there is no other schedule.
  const Remote<ScheduleComparison>& comparison() const { return m_comparison; }
  // Compares again with what is already known, because measured times have arrived, or requests
  // what is missing.
  void refresh();

 Q_SIGNALS:
  // Emitted when the schedule compared with, or the list of choices, has changed.
  void choicesChanged();
  void shownChanged();
  void comparisonChanged();

 private:
  void onProblemChanged();
  // Takes over the current name of the shelf's schedule, or compares with nothing if it is gone.
  void followKept();
  void compare();
  void set(Remote<ScheduleComparison> comparison);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  CompareWith m_with;
  Kept m_kept;  // the shelf's schedule that m_with names; null if m_with names none of the shelf
  bool m_isShown = false;
  // Cached comparison of two schedules, keyed by the first one's hash and the second one's text.
  struct Known {
    QString hash, otherText;
    std::shared_ptr<const ScheduleSnapshot> other;
    ComparedSchedule otherSide, currentSide;  // without names and times, which may change
    TimeChangeCauses causes;                  // none if one of the two does not fit into memory
  };
  std::optional<Known> m_known;
  std::pair<QString, QString> m_asked;  // the hash and the text being compared now
  Remote<ScheduleComparison> m_comparison;
};

}  // namespace thallo::gui
