// Which schedule the current one is compared with, the same on all pages, and how the two differ.
#pragma once

#include <vector>

#include "gui/models/schedule_comparison.h"
#include "gui/models/schedule_model.h"

namespace thallo::gui {

struct CompareWith {
  enum class Kind { Nothing, Named, Previous };
  Kind kind = Kind::Nothing;
  QString name = {};  // of Named

  friend bool operator==(const CompareWith&, const CompareWith&) = default;
};

class ComparisonModel final : public QObject {
  Q_OBJECT

 public:
  ComparisonModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule,
                  QObject* parent = nullptr);

  const CompareWith& with() const { return m_with; }
  void setWith(const CompareWith& with);
  // All that there is to compare with: nothing, the schedule before the last change, those that the
  // problem has by name, and those on the shelf.
  std::vector<CompareWith> choices() const;
  QString textOf(const CompareWith& choice) const;

  // The schedule that is compared with.
  struct Other {
    QString name, text;

    friend bool operator==(const Other&, const Other&) = default;
  };
  // Absent for nothing, and while there is no schedule before the current one.
  std::optional<Other> other() const;

  // Is the comparison looked at? It is made while it is.
  bool isShown() const { return m_isShown; }
  void setShown(bool isShown);
  // Empty where there is no other schedule.
  const Remote<ScheduleComparison>& comparison() const { return m_comparison; }
  // Compares again what is known already, since measured times have arrived, or asks for it.
  void refresh();

 Q_SIGNALS:
  // What is compared with, or what there is to compare with.
  void choicesChanged();
  void shownChanged();
  void comparisonChanged();

 private:
  void onProblemChanged();
  void compare();
  void set(Remote<ScheduleComparison> comparison);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  CompareWith m_with;
  bool m_isShown = false;
  // What was found out of the two, for the schedule of that hash and the other of that text.
  struct Known {
    QString hash, otherText;
    std::shared_ptr<const ScheduleSnapshot> other;
    ComparedSchedule otherSide, currentSide;  // without names and times, which may change
  };
  std::optional<Known> m_known;
  std::pair<QString, QString> m_asked;  // the hash and the text that are under way
  Remote<ScheduleComparison> m_comparison;
};

}  // namespace thallo::gui
