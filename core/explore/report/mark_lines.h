#pragma once

// The labelled lines of marks in a diagram of times, as reports and the app draw them.

#include <span>
#include <string>
#include <vector>

#include "core/explore/report/report.h"

namespace thallo {

// Marks with the same time, which share a line.
struct MarkLine {
  double seconds = 0;
  std::vector<std::string> names;  // "best" comes first
  // "best, auto 3.1 ms"; for others how far from the best: "opt +4.2 %", "default 15.5 ×". Of more
  // than three names two are written: "file, default and 3 more +4.2 %".
  std::string text;
  std::string hash;  // of one of the schedules; empty for the median alone

  bool is_best() const { return names.front() == "best"; }
  bool is_median() const { return names.front() == "median"; }
};
// Of the marks that have a time, in their order.
std::vector<MarkLine> mark_lines(std::span<const Mark> marks);

// "+4.2 %"; "15.5 ×" from eleven times the best on.
std::string off_the_best(double factor);

}  // namespace thallo
