// Adds the expressions that a node of the overview is made of to a view. Private to views.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/explore/dag/overview.h"

namespace thallo {

// A value of the expanded node, and the node that the value flows to: a residual of the part, or
// the expanded node itself.
struct DagRoot {
  ExprId value;
  std::string taken_by;
  std::string label;
};

// Draws expressions as they are written: constants and negations are not nodes of their own, reads
// of fields, intermediates and Sums are edges.
class DagExpansion {
 public:
  DagExpansion(DagViewBuilder& builder, DagSubject& subject, const DagOverview& overview,
               const Recomputation& again, const DagFigures& figures,
               const DagComputation& computation);

  // Adds at most `room` nodes, one of which may be the Rest.
  void add(const std::vector<DagRoot>& roots, std::size_t room);

 private:
  std::vector<ExprId> drawn_operands(ExprId expression) const;
  ExprId without_sign(ExprId expression) const;
  bool is_leaf(ExprId expression) const;
  std::vector<ExprId> expressions_behind(const std::vector<DagRoot>& roots) const;
  void add_node(ExprId expression);
  void add_rest(std::size_t count);
  bool is_far(ExprId expression);
  bool is_cut(ExprId leaf);
  // Connects the operands and, if the expression samples an image, the image.
  void connect_operands(ExprId expression);
  // Draws the way from an operand, or a root, to its user.
  void connect(ExprId operand, const std::string& user, bool user_is_far,
               const std::string& label = {});
  std::string id_of(ExprId expression) const;
  std::string text_of(ExprId expression) const;

  DagViewBuilder& builder_;
  DagSubject& subject_;
  const DagOverview& overview_;
  const DagFigures& figures_;
  const DagComputation& computation_;
  bool value_is_far_ = false;
  bool gradient_is_far_ = false;
  std::set<ExprId> computed_again_;  // expressions that linear iterations compute again
  std::set<ExprId> left_out_;
};

}  // namespace thallo
