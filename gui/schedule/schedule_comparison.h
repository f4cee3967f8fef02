// Compares two schedules: where they decide differently, how this changes the steps of the program
// and the stored buffers, and what the total effect is.
#pragma once

#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/cost/pricing/time_change.h"
#include "core/kernel/bind/program_bytes.h"

#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// The data of a schedule that are compared.
struct ComparedSchedule {
  QString name, text;  // the text is in normal form
  TimeEstimate time;
  std::vector<Decision> decisions;
  std::vector<StoredBuffer> buffers;  // stored by its program
};

// A thing that one or both schedules have.
struct ComparisonRow {
  // Which of the two schedules have it.
  enum class In { Both, Other, Current };
  QString what;            // "strategy of fit", "apply_jtjp [fit]", "J.fit"
  QString other, current;  // its state there; empty if absent
  QString change;          // "1.80× faster", "only in auto"
  int direction = 0;       // of the change from other to current: −1 means less, 1 more
  In in = In::Both;
  bool isStep = false;  // if true, `what` is the step's label
};

struct ComparisonSection {
  QString title;
  std::vector<ComparisonRow> rows;
};

// A cause of the change from the other time to the current one.
struct ChangeCause {
  std::optional<Cause> cause;  // absent for what the predicted causes do not explain
  QString name;                // "stored bytes"
  double seconds = 0;          // negative if it makes the current schedule faster
  QString sentence;            // "update +4.30 ms: 3.69 MB no longer fit the 2 MB cache"
  QStringList steps = {};      // what its largest steps say, likewise
};

struct ScheduleComparison {
  QString other, current;  // their names
  QString summary;         // "edited takes 178 µs, auto takes 317 µs: 1.78× faster"
  int direction = 0;       // of the times; see ComparisonRow
  // Why the times differ: the causes add up from the one time to the other, the largest first.
  double from = 0, to = 0;  // seconds of a nonlinear iteration, as they are shown
  std::vector<ChangeCause> causes = {};
  // Totals, decisions, steps, buffers. Only totals and steps include what is equal in both
  // schedules.
  std::vector<ComparisonSection> sections;

  bool isEmpty() const { return sections.empty(); }  // true if the schedules are equal
};

// Both times are of one kind, as in changeBetween(). Predicted times, "≈ 178 µs", are scaled like
// the total, and so are the predicted causes of their change.
ScheduleComparison compareSchedules(const ComparedSchedule& other, const ComparedSchedule& current,
                                    const TimeChangeCauses& causes = {});

}  // namespace thallo::gui
