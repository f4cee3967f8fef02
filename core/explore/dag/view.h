#pragma once

// A picture of an energy and a plan as a graph, left to right as data flows: fields, intermediates
// and Sums, parts, and the products that the strategy of each part makes. The overview has these
// alone; intermediates, Sums and parts can be expanded, which adds the expressions that they are
// made of. It is data: the app and `thallo print dag` draw it.
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
// So the cut of [Jt][[J]p] is the edges out of J, that of JtJp lies at fields and stored
// intermediates, and storing an intermediate moves it to the right. An edge from near to far that
// is not in the cut is read once in a nonlinear iteration only, as D in X - D. JtF is on the near
// side though it is made of parts on the far side, since those are computed for it, too. Conditions
// of excluded unknowns and the vector p are not drawn.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/frequency.h"
#include "core/schedule/directive.h"

namespace thallo {

// ROW(Name, text)
#define THALLO_FOR_EACH_DAG_KIND(ROW)                                                    \
  ROW(Unknown, "unknown")                                                                \
  ROW(Array, "array")                                                                    \
  ROW(Param, "param") /* one, or all together */                                         \
  ROW(Intermediate, "intermediate")                                                      \
  ROW(Sum, "sum")               /* a site of a schedule: its summand reads an unknown */ \
  ROW(Part, "part")             /* residuals that are scheduled together */              \
  ROW(Residual, "residual")     /* one of an expanded part */                            \
  ROW(Product, "product")       /* JtF, J, JtJ, Jp or JtJp, of a part or of all */       \
  ROW(Expression, "expression") /* of an expanded node */                                \
  ROW(Rest, "rest")             /* expressions of an expanded node, left out */

enum class DagKind {
#define THALLO_DAG_KIND(name, text) name,
  THALLO_FOR_EACH_DAG_KIND(THALLO_DAG_KIND)
#undef THALLO_DAG_KIND
};
std::string_view to_string(DagKind kind);

struct DagNode {
  // The same for the same thing under every schedule and in every run: "field:X", "params",
  // "intermediate:pose", "sum:blurred", "part:fit", "residual:fit[1]", "product:fit.JtJp",
  // "product:JtJp" for that of all parts. Expressions: the id of the expanded node, a slash and
  // their content hash.
  std::string id;
  DagKind kind = DagKind::Expression;
  std::string name;     // "X", "fit.JtF", "sqrt"
  std::string text;     // what it is or computes, without a line end
  std::string domains;  // "W x H"; empty for what is no array
  // The site of a schedule that it stands for.
  std::optional<Site> site = {};
  // What is in memory between kernels. A field, and a product that is kept, is a stored value.
  bool stores_value = false;
  bool stores_gradient = false;
  // How often it is computed at most: see the cut. Solve: read as it was bound.
  Frequency frequency = Frequency::NonlinearIteration;
  // Of computing its value once at all its points, without what the intermediates and Sums take
  // that it reads; of a product's kernels with these. Absent if the view has no sizes.
  std::optional<double> flops = {};
  // In memory, of what is stored of it; of its values if nothing is. Absent where it has none, or
  // if the view has no sizes.
  std::optional<double> bytes = {};
  std::string cluster = {};  // the id of the expanded node that it is drawn in; else empty
  bool can_expand = false;
  bool is_expanded = false;

  bool is_far() const { return frequency == Frequency::LinearIteration; }
};

// From what is read to what reads it.
struct DagEdge {
  std::size_t from = 0;  // positions in DagView::nodes
  std::size_t to = 0;
  bool is_cut = false;
  std::string label;  // where it is read: "(w, h), (w + 1, h)"
};

struct DagView {
  std::string name;            // of the energy
  std::vector<DagNode> nodes;  // each after those that it reads
  std::vector<DagEdge> edges;  // by `from`, then by `to`; each pair of nodes once

  const DagNode* find(std::string_view id) const;  // null when there is none
};

// One line a node and an edge, for people and tests.
std::string to_string(const DagView& view);

// Questions about what depends on what. Nodes are positions in view.nodes; answers are ascending
// and do not contain the node itself.
std::vector<std::size_t> nodes_behind(const DagView& view, std::size_t node);   // it is made of
std::vector<std::size_t> readers_after(const DagView& view, std::size_t node);  // made of it
// The nodes that JtJp reads by way of this one alone: every path from them to the JtJp of all parts
// leads through it. Nobody else needs them in a linear iteration.
std::vector<std::size_t> needed_only_by(const DagView& view, std::size_t node);

}  // namespace thallo
