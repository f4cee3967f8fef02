#pragma once

// From numbers to places along an axis, and the ticks of the axis.

#include <string>
#include <vector>

namespace thallo::plot {

struct Tick {
  double value = 0;
  std::string label;  // empty: a small tick between those with labels
};

class Scale {
 public:
  // From `least` to `largest`, which are finite; if they are equal, it reaches beyond them.
  static Scale linear(double least, double largest);
  // The same with equal ratios equally far apart, and some room at both ends. Both are positive.
  static Scale logarithmic(double least, double largest);

  double first() const { return first_; }
  double last() const { return last_; }
  // 0 at the first value of the axis, 1 at the last one.
  double fraction(double value) const;
  // With labels at equal steps of 1, 2 or 5 times a power of ten; on a logarithmic axis of a decade
  // or more at 1, 2 and 5, or 1 and 3, or 1 of each decade, with small ticks between them. There
  // are about `num_labels` labels at most, which is taken for three if it is less.
  std::vector<Tick> ticks(std::size_t num_labels) const;

 private:
  Scale(double first, double last, bool is_logarithmic)
      : first_(first), last_(last), is_logarithmic_(is_logarithmic) {}
  std::vector<Tick> linear_ticks(std::size_t num_labels) const;
  std::vector<Tick> decade_ticks(std::size_t num_labels) const;

  double first_, last_;
  bool is_logarithmic_;
};

// A number as people write it: 0.02, 500, 2·10⁷.
std::string tick_label(double value);

// In which times of that size are read best.
struct TimeUnit {
  std::string name;  // "µs"
  double seconds = 1;
};
TimeUnit time_unit(double seconds);

}  // namespace thallo::plot
