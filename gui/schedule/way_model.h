// The way from the schedule that was taken last to the current one, decision by decision, and on to
// those that were undone. Every step of it can be gone back to, or forward to.
#pragma once

#include <map>
#include <vector>

#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

class WayModel final : public QObject {
  Q_OBJECT

 public:
  WayModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule);

  struct Step {
    QString text;  // what was decided: the lines of the text that are new; first, the name
    QString hash;
    TimeEstimate time;  // after it
    int index = 0;      // of the undo history
  };
  // Empty without a schedule.
  const std::vector<Step>& steps() const { return m_steps; }
  // The position of the current schedule among them.
  std::size_t current() const { return m_current; }
  // Undoes or redoes changes until the schedule is that of the step.
  void go(std::size_t step);

 Q_SIGNALS:
  void changed();

 private:
  struct Seen {
    std::shared_ptr<const ScheduleSnapshot> snapshot;
    QString name;
    bool isTaken = false;  // true if it was taken, false if it was made from the one before it
    int opening = 0;       // of the problem, in which the snapshot was made
  };
  using SeenByIndex = std::map<int, Seen>;  // by index of the undo history

  void look();
  bool readAgain(const SeenByIndex& seen);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  std::map<QUndoStack*, SeenByIndex> m_seen;  // by history, of which each problem has one
  std::vector<Step> m_steps;
  std::size_t m_current = 0;
};

}  // namespace thallo::gui
