#pragma once

// Maps numbers to positions along an axis, and places the ticks of the axis.

#include <string>
#include <vector>

namespace thallo::plot {

struct Tick {
  double value = 0;
  std::string label;  // empty for a small tick between those with labels
};

class Scale {
 public:
  // A linear axis from `least` to `largest`, which must be finite. If they are equal, the axis
  // extends beyond them.
  static Scale linear(double least, double largest);
  // A logarithmic axis with some room at both ends. Both values must be positive.
  static Scale logarithmic(double least, double largest);

  double first() const { return first_; }
  double last() const { return last_; }
  // Returns 0 at the first value of the axis and 1 at the last one.
  double fraction(double value) const;
  // Returns ticks at steps of 1, 2 or 5 times a power of ten. A logarithmic axis of a decade or
  // more has labels at 1, 2 and 5, or at 1 and 3, or at 1 of each decade, with small ticks between
  // them. There are at most about `num_labels` labels; values below three count as three.
  std::vector<Tick> ticks(std::size_t num_labels) const;

 private:
  Scale(double first, double last, bool is_logarithmic)
      : first_(first), last_(last), is_logarithmic_(is_logarithmic) {}
  std::vector<Tick> linear_ticks(std::size_t num_labels) const;
  std::vector<Tick> decade_ticks(std::size_t num_labels) const;

  double first_, last_;
  bool is_logarithmic_;
};

// Writes a number as people do: 0.02, 500, 2·10⁷.
std::string tick_label(double value);

// The unit in which times of this size read best.
struct TimeUnit {
  std::string name;  // "µs"
  double seconds = 1;
};
TimeUnit time_unit(double seconds);

}  // namespace thallo::plot
