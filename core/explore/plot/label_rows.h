#pragma once

// Where the labels of vertical lines go. A label stands in a row above the diagram, to the right or
// to the left of its line, and the line runs from there down to the axis. No label covers another.
// No line runs through a label, unless both edges are so near that it cannot be avoided.

#include <span>
#include <vector>

namespace thallo::plot {

struct LineLabel {
  double x = 0;      // of the line
  double width = 0;  // of the text, with the distance to its line
};

struct LabelPlace {
  bool is_right = true;  // of its line
  int row = 0;           // 0 is next to the diagram
};

// Returns one place for each label, in their order. Labels stay between `left` and `right` if they
// have room on at least one side of their lines. Lines at the same x must share one label.
std::vector<LabelPlace> place_labels(std::span<const LineLabel> labels, double left, double right);

}  // namespace thallo::plot
