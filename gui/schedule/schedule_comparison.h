// Compares two schedules: where they decide differently, how this changes the steps of the program
// and the stored buffers, and what the total effect is.
#pragma once

#include <vector>

#include <QString>

#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// The data of a schedule that are compared.
struct ComparedSchedule {
  QString name, text;  // the text is in normal form
  TimeEstimate time;
  std::vector<Decision> decisions;
  std::vector<BufferBytes> buffers;  // stored by its program
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

struct ScheduleComparison {
  QString other, current;  // their names
  QString summary;         // "edited takes 178 µs, auto takes 317 µs: 1.78× faster"
  int direction = 0;       // of the times; see ComparisonRow
  // Totals, decisions, steps, buffers. Only totals and steps include what is equal in both
  // schedules.
  std::vector<ComparisonSection> sections;

  bool isEmpty() const { return sections.empty(); }  // true if the schedules are equal
};

// Both times are of one kind, as in changeBetween(). Predicted times, "≈ 178 µs", are scaled like
// the total.
ScheduleComparison compareSchedules(const ComparedSchedule& other, const ComparedSchedule& current);

}  // namespace thallo::gui
