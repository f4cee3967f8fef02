#pragma once

// A view as a text for the `dot` program of Graphviz, from left to right. Kinds have colors that
// color-blind people tell apart (Okabe and Ito): unknowns orange, other fields grey, intermediates
// and Sums blue, parts green, products vermillion. What is stored is filled, what is computed where
// it is read is outlined, dashed on the far side of the cut. The edges of the cut are thick. All
// nodes of the near side are left of all nodes of the far side, so an edge from far to near,
// as that from a part to its JtF, leads back to the left: its text names the reader first,
// with dir=back.

#include <functional>
#include <string>

#include "core/explore/dag/view.h"

namespace thallo {

struct DagNodeSize {
  double width = 0, height = 0;  // in inches
};

// The nodes of the text are called by their ids, clusters "cluster" and the id of the expanded
// node. With sizes, nodes are that large and have no labels: for a program that draws them itself
// and asks `dot -Tjson` where they go.
std::string to_dot(const DagView& view,
                   const std::function<DagNodeSize(const DagNode&)>& size_of = {});

}  // namespace thallo
