// Two schedules side by side: where they decide differently, what that makes of the steps of the
// program and of what it stores, and what it comes to.
#pragma once

#include <vector>

#include <QString>

#include "gui/models/schedule_data.h"

namespace thallo::gui {

// What is compared of a schedule.
struct ComparedSchedule {
  QString name, text;  // the text in normal form
  TimeEstimate time;
  std::vector<Decision> decisions;
  std::vector<BufferBytes> buffers;  // that its program stores
};

// One thing of both schedules.
struct ComparisonRow {
  // Which of the two have it.
  enum class In { Both, Other, Current };
  QString what;            // "strategy of fit", "apply_jtjp [fit]", "J.fit"
  QString other, current;  // what it is there; empty where it is not
  QString change;          // "1.80× faster", "only in auto"
  int direction = 0;  // of the change, from the other to the current: −1 for less, 1 for more
  In in = In::Both;
  bool isStep = false;  // then `what` is its label
};

struct ComparisonSection {
  QString title;
  std::vector<ComparisonRow> rows;
};

struct ScheduleComparison {
  QString other, current;  // their names
  QString summary;         // "edited takes 178 µs, auto takes 317 µs: 1.78× faster"
  int direction = 0;       // of the times, as in a row
  // Totals, decisions, steps, buffers. What both have alike is in none, but for totals and steps.
  std::vector<ComparisonSection> sections;

  bool isEmpty() const { return sections.empty(); }  // both are the same schedule
};

// Times are of one kind, as in changeBetween; predicted ones, "≈ 178 µs", are scaled as the time of
// the whole is.
ScheduleComparison compareSchedules(const ComparedSchedule& other, const ComparedSchedule& current);

}  // namespace thallo::gui
