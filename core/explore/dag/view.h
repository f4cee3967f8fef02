#pragma once

// Describes an energy under a plan as a graph, drawn from left to right as data flows: fields,
// intermediates and Sums, parts, and the products that the strategy of each part makes. These nodes
// are the overview. Intermediates, Sums and parts can be expanded, which adds the expressions that
// they are made of. A view is plain data; the app and `thallo print dag` draw it.
//
// The cut. A linear solve needs JtJp in each of its iterations. A node is on the *far side* if its
// value or its derivatives by the unknowns are computed again in every linear iteration, and on the
// *near side* if a nonlinear iteration computes all of it once. The cut consists of the edges from
// the near to the far side by which kernels of the linear iterations read memory. It follows from
// the plan:
//
// - fields are on the near side: they are in memory;
// - Jp and JtJp are on the far side, JtF, a stored J and a stored JtJ are on the near side;
// - a part is on the far side if its strategy stores neither J nor JtJ. So is everything whose
//   value or derivative its derivatives are made of, up to what is in memory: fields, stored values
//   and stored derivatives of intermediates, the values of parallel Sums. An intermediate of which
//   the linear iterations read nothing but what is stored is on the near side;
// - a parallel Sum whose derivatives are needed is on the far side: a kernel adds them up, times p,
//   in every linear iteration.
//
// Examples: the cut of [Jt][[J]p] consists of the edges out of J; the cut of JtJp lies at fields
// and stored intermediates; storing an intermediate moves the cut to the right. An edge from near
// to far that is not in the cut is read only once in a nonlinear iteration, such as D in X - D. JtF
// is on the near side although it is made from parts on the far side, because those parts are
// computed for JtF as well. Conditions of excluded unknowns and the vector p are not drawn.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/kernel/frequency.h"
#include "core/schedule/directive.h"

namespace thallo {

enum class DagKind {
  Unknown,
  Array,
  Param,  // one, or all together
  Intermediate,
  Sum,         // a site of a schedule: its summand reads an unknown
  Part,        // residuals that are scheduled together
  Residual,    // one of an expanded part
  Product,     // JtF, J, JtJ, Jp or JtJp, of a part or of all
  Expression,  // of an expanded node
  Rest         // expressions of an expanded node, left out
};
template <>
inline constexpr EnumNames enum_names<DagKind> = {
    "kind of nodes",
    {"unknown", "array", "param", "intermediate", "sum", "part", "residual", "product",
     "expression", "rest"}};

struct DagNode {
  // Identifies the same thing under every schedule and in every run: "field:X", "params",
  // "intermediate:pose", "sum:blurred", "part:fit", "residual:fit[1]", "product:fit.JtJp", or
  // "product:JtJp" for the product of all parts. The id of an expression is the id of the expanded
  // node, a slash and the expression's content hash.
  std::string id;
  DagKind kind = DagKind::Expression;
  std::string name;     // "X", "fit.JtF", "sqrt"
  std::string text;     // what it is or computes, without a line end
  std::string domains;  // "W x H"; empty for anything but arrays
  // The lines of the energy's text that declare it or say what it computes, ascending, without
  // those of what it reads. Empty for products, and if the energy was not made from a text.
  std::vector<int> lines = {};
  // The site of the schedule that decides about this node.
  std::optional<Site> site = {};
  // True if the value is in memory between kernels. This holds for fields and for products that are
  // kept.
  bool stores_value = false;
  bool stores_gradient = false;
  // How often the node is computed: its value or its derivatives, whichever is more often (see the
  // cut above). Solve means that the value is read as it was bound.
  Frequency frequency = Frequency::NonlinearIteration;
  // The flops of computing the node's value once at all its points, excluding the intermediates and
  // Sums that it reads. For a product, the flops of its kernels, which include them. Absent if the
  // view has no sizes.
  std::optional<double> flops = {};
  // The bytes of what is stored of the node, or of its values if nothing is stored. Absent if it
  // has no values, or if the view has no sizes.
  std::optional<double> bytes = {};
  std::string cluster = {};  // the id of the expanded node that contains it, or empty
  bool can_expand = false;
  bool is_expanded = false;

  bool is_far() const { return frequency == Frequency::LinearIteration; }
};

// An edge points from what is read to what reads it.
struct DagEdge {
  std::size_t from = 0;  // positions in DagView::nodes
  std::size_t to = 0;
  bool is_cut = false;
  std::string label;  // where the value is read: "(w, h), (w + 1, h)"
};

struct DagView {
  std::string name;            // the energy's name
  std::vector<DagNode> nodes;  // each node comes after the nodes that it reads
  std::vector<DagEdge> edges;  // sorted by `from`, then `to`; at most one for each pair

  const DagNode* find(std::string_view id) const;  // null when there is none
};

// Returns one line for each node and edge, for people and tests.
std::string to_string(const DagView& view);

}  // namespace thallo
