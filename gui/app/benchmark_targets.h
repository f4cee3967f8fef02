// The limits that the app promises to a waiting user, with the measured values.
#pragma once

#include <optional>
#include <vector>

#include <QString>

namespace thallo::gui {

struct BenchmarkTarget {
  QString what;      // "edit to prediction"
  double limit = 0;  // in units
  const char* unit = "ms";
  bool isAtLeast = false;          // true if better above the limit
  std::optional<double> measured;  // the worst value; absent if it never happened
  QString where;                   // for example, the problem

  // Keeps the value if it is the worst so far.
  void add(const std::optional<double>& value, const QString& of = {});
  bool isMet() const;
};

// Returns a line for each target with limit, value and whether it is met, and a line that names the
// missed ones.
QString targetsText(const std::vector<BenchmarkTarget>& targets);

}  // namespace thallo::gui
