#pragma once

// Writes a view as text for the `dot` program of Graphviz, laid out from left to right. Each kind
// of node has a color, from a palette that is safe for color blindness (Okabe and Ito): unknowns
// are orange, other fields grey, intermediates and Sums blue, parts green, products vermillion. A
// filled node is stored. An outlined node is computed wherever it is read; the outline is dashed on
// the far side of the cut. The edges of the cut are thick. All nodes of the near side are left of
// all nodes of the far side, so an edge from far to near, such as the one from a part to its JtF,
// leads back to the left: its text names the reader first and has dir=back.

#include <functional>
#include <string>

#include "core/explore/dag/view.h"

namespace thallo {

struct DagNodeSize {
  double width = 0, height = 0;  // in inches
};

// A node's name in the text is its id; a cluster's name is "cluster" and the id of the expanded
// node. If `size_of` is given, nodes have these sizes and no labels: this serves programs that draw
// the nodes themselves and ask `dot -Tjson` only for positions.
std::string to_dot(const DagView& view,
                   const std::function<DagNodeSize(const DagNode&)>& size_of = {});

}  // namespace thallo
