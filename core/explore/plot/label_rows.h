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

// One place for each label, in their order. Labels stay between `left` and `right` as long as one
// of their sides has room for them. Lines at the same x must be one label.
std::vector<LabelPlace> place_labels(std::span<const LineLabel> labels, double left, double right);

}  // namespace thallo::plot
