// What the app promises a user who waits, each with what was measured.
#pragma once

#include <optional>
#include <vector>

#include <QString>

namespace thallo::gui {

struct BenchmarkTarget {
  QString what;      // "edit to prediction"
  double limit = 0;  // in units
  const char* unit = "ms";
  bool isAtLeast = false;          // better above the limit; else below it
  std::optional<double> measured;  // the worst that was measured; absent when it never happened
  QString where;                   // of which problem, and the like

  // Takes what was measured if it is the worst so far.
  void add(const std::optional<double>& value, const QString& of = {});
  bool isMet() const;
};

// A line for each with limit, value and whether it is met, and one that names those
// that are missed.
QString targetsText(const std::vector<BenchmarkTarget>& targets);

}  // namespace thallo::gui
