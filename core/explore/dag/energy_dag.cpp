#include "core/explore/dag/energy_dag.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/explore/dag/overview.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// The number of operations to which the text of an expression is nested.
constexpr int TextDepth = 3;

std::string name_of(const ExprGraph& graph, const ExprPrinter& printer, ExprId expression) {
  const Op op = graph[expression].op;
  if (op == Op::PowI) return fmt::format("^{}", graph.exponent(expression));
  return graph.operands(expression).empty() ? printer.text(expression) : std::string(info(op).text);
}

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

DagExpansion::DagExpansion(DagViewBuilder& builder, DagSubject& subject,
                           const DagOverview& overview, const Recomputation& again,
                           const DagFigures& figures, const DagComputation& computation)
    : builder_(builder),
      subject_(subject),
      overview_(overview),
      figures_(figures),
      computation_(computation),
      value_is_far_(again.of_value(computation.id)),
      gradient_is_far_(again.of_gradient(computation.id)) {
  const auto insert = [this](const std::vector<ExprId>& roots) {
    for (const ExprId node : subject_.graph().reachable(roots)) computed_again_.insert(node);
  };
  if (value_is_far_) insert(computation.values);
  if (gradient_is_far_) insert(computation.derivatives);
}

void DagExpansion::add(const std::vector<DagRoot>& roots, std::size_t room) {
  std::vector<ExprId> expressions = expressions_behind(roots);
  if (expressions.size() > room) {
    const auto kept = expressions.begin() + static_cast<std::ptrdiff_t>(room - 1);
    left_out_.insert(kept, expressions.end());
    expressions.erase(kept, expressions.end());
    add_rest(left_out_.size());
  }
  for (const ExprId expression : expressions) add_node(expression);
  for (const ExprId expression : expressions) connect_operands(expression);
  for (const ExprId expression : left_out_) connect_operands(expression);
  for (const DagRoot& root : roots) {
    connect(without_sign(root.value), root.taken_by, value_is_far_ || gradient_is_far_, root.label);
  }
}

ExprId DagExpansion::without_sign(ExprId expression) const {
  const ExprGraph& graph = subject_.graph();
  if (graph[expression].op != Op::Mul) return expression;
  const std::vector<ExprId> factors = graph.operands(expression);
  if (factors.size() != 2) return expression;
  if (graph.is_constant(factors[0], -1)) return factors[1];
  return graph.is_constant(factors[1], -1) ? factors[0] : expression;
}

bool DagExpansion::is_leaf(ExprId expression) const {
  return subject_.graph()[expression].op == Op::Access;
}

std::vector<ExprId> DagExpansion::drawn_operands(ExprId expression) const {
  std::vector<ExprId> drawn;
  for (const ExprId operand : subject_.graph().operands(expression)) {
    if (!subject_.graph().is_constant(operand)) drawn.push_back(without_sign(operand));
  }
  return drawn;
}

// Returns each expression after all expressions that read it, sorted by the longest path to the
// roots, nearest first. If the list is cut off, whatever is dropped is read by what remains and
// reads nothing that remains.
std::vector<ExprId> DagExpansion::expressions_behind(const std::vector<DagRoot>& roots) const {
  std::map<ExprId, int, std::greater<>> depths;  // operands have smaller ids than their users
  for (const DagRoot& root : roots) depths[without_sign(root.value)] = 0;
  for (auto user = depths.begin(); user != depths.end(); ++user) {
    for (const ExprId operand : drawn_operands(user->first))
      depths[operand] = std::max(depths[operand], user->second + 1);
  }
  std::vector<ExprId> expressions;
  for (const auto& [expression, depth] : depths) {
    if (!is_leaf(expression) && !subject_.graph().is_constant(expression))
      expressions.push_back(expression);
  }
  std::ranges::stable_sort(expressions, {}, [&](ExprId e) { return depths.at(e); });
  return expressions;
}

std::string DagExpansion::id_of(ExprId expression) const {
  if (left_out_.contains(expression)) return computation_.id + "/rest";
  return fmt::format("{}/{}", computation_.id, subject_.graph().hash(expression).hex());
}

// An expression is on the far side if its value or its derivative is computed again.
bool DagExpansion::is_far(ExprId expression) {
  return computed_again_.contains(expression) ||
         (gradient_is_far_ && subject_.has_derivative(expression));
}

// For a leaf that is an operand of an expression on the far side: true if it is read from memory
// again.
bool DagExpansion::is_cut(ExprId leaf) {
  const FieldId field = subject_.field_read_by(leaf);
  if (computed_again_.contains(leaf)) return overview_.is_cut(computation_.id, field);
  const FieldId gradient = subject_.gradient_of(field);
  return gradient.valid() && gradient_is_far_ && subject_.has_derivative(leaf) &&
         overview_.is_cut(computation_.id, gradient);
}

void DagExpansion::connect(ExprId operand, const std::string& user, bool user_is_far,
                           const std::string& label) {
  if (subject_.graph().is_constant(operand)) return;
  if (!is_leaf(operand)) {
    builder_.connect(id_of(operand), user, false, label);
    return;
  }
  builder_.connect(overview_.node_of(subject_.field_read_by(operand)), user,
                   user_is_far && is_cut(operand), subject_.place_of(operand));
}

std::string DagExpansion::text_of(ExprId expression) const {
  ExprPrinter printer = subject_.printer();
  std::vector<ExprId> level = {expression};
  for (int depth = 0; depth < TextDepth; ++depth) {
    std::vector<ExprId> next;
    for (const ExprId user : level) {
      for (const ExprId operand : drawn_operands(user)) next.push_back(operand);
    }
    level = std::move(next);
  }
  for (const ExprId deep : level) {
    if (!subject_.graph().operands(deep).empty()) printer.name(deep, "...");
  }
  return printer.text(expression);
}

void DagExpansion::add_node(ExprId expression) {
  DagNode& node = builder_.add({.id = id_of(expression),
                                .kind = DagKind::Expression,
                                .name = name_of(subject_.graph(), subject_.printer(), expression),
                                .text = text_of(expression)});
  node.cluster = computation_.id;
  node.flops = figures_.flops_of(computation_, expression);
  if (const int line = subject_.graph().line(expression); line > 0) node.lines = {line};
  if (is_far(expression)) node.frequency = Frequency::LinearIteration;
}

void DagExpansion::connect_operands(ExprId expression) {
  for (const ExprId operand : drawn_operands(expression)) {
    if (left_out_.contains(expression) && !is_leaf(operand)) continue;
    connect(operand, id_of(expression), is_far(expression));
  }
  if (const FieldId image = subject_.field_read_by(expression); image.valid()) {
    builder_.connect(
        overview_.node_of(image), id_of(expression),
        computed_again_.contains(expression) && overview_.is_cut(computation_.id, image),
        subject_.place_of(expression));
  }
}

void DagExpansion::add_rest(std::size_t count) {
  const bool is_any_far =
      std::ranges::any_of(left_out_, [this](ExprId expression) { return is_far(expression); });
  DagNode& node = builder_.add({.id = computation_.id + "/rest",
                                .kind = DagKind::Rest,
                                .name = fmt::format("{} more", count),
                                .text = fmt::format("{} expressions that are not drawn", count)});
  node.cluster = computation_.id;
  if (is_any_far) node.frequency = Frequency::LinearIteration;
}

Expected<void> check(const std::set<std::string>& expanded, const std::vector<std::string>& known) {
  for (const std::string& id : expanded) {
    if (std::ranges::find(known, id) != known.end()) continue;
    return fail(Diagnostic{
        fmt::format("'{}' is nothing that can be expanded{}", id, did_you_mean(id, known)),
        {},
        known});
  }
  return {};
}

// Returns what flows into the computation's own node. For a part, adds nodes for its residuals,
// which the values flow into instead.
std::vector<DagRoot> roots_of(const DagSubject& subject, const DagComputation& computation,
                              const Plan& plan, DagViewBuilder& builder) {
  DagNode& node = builder[computation.id];
  node.is_expanded = true;
  node.cluster = node.id;
  std::vector<DagRoot> roots;
  const auto part =
      std::ranges::find(plan.parts, node.kind == DagKind::Part ? node.site->name : "", &Part::name);
  for (std::size_t i = 0; i < computation.values.size(); ++i) {
    const ExprId value = computation.values[i];
    if (part == plan.parts.end()) {
      const bool is_alone = computation.values.size() == 1;
      roots.push_back({value, node.id, is_alone ? "" : fmt::format("[{}]", i)});
      continue;
    }
    const std::string name = residual_name(subject.energy(), part->residuals[i]);
    DagNode& residual = builder.add({.id = "residual:" + name,
                                     .kind = DagKind::Residual,
                                     .name = name,
                                     .text = subject.text_of({value}, name),
                                     .domains = node.domains,
                                     .site = Site{SiteKind::Residual, name},
                                     .frequency = node.frequency});
    residual.cluster = node.id;
    builder.connect(residual.id, node.id, false);
    roots.push_back({value, residual.id, ""});
  }
  return roots;
}

}  // namespace

Expected<DagView> EnergyDag::view(const Plan& plan, const DagViewOptions& options) {
  const std::vector<DagComputation> computations = subject_.computations(plan);
  const Recomputation again(subject_, plan, computations);
  const DagFigures figures(subject_, plan, options.sizes);
  const std::set<std::string> expanded(options.expanded.begin(), options.expanded.end());
  DagViewBuilder builder;
  DagOverview overview(builder, subject_, plan, computations, again, figures, expanded);
  THALLO_CHECK(check(expanded, overview.expandable()));
  overview.add_nodes();
  std::size_t num_left = 0;
  for (const DagComputation& computation : computations)
    num_left += expanded.contains(computation.id);
  for (const DagComputation& computation : computations) {
    if (!expanded.contains(computation.id)) {
      overview.connect(computation);
      continue;
    }
    const std::vector<DagRoot> roots = roots_of(subject_, computation, plan, builder);
    const std::size_t left = options.max_nodes - std::min(options.max_nodes, builder.num_nodes());
    DagExpansion(builder, subject_, overview, again, figures, computation)
        .add(roots, std::max<std::size_t>(1, left / num_left--));
    overview.connect_derivatives(computation);
  }
  return std::move(builder).finish(subject_.energy().name());
}

}  // namespace thallo
