// Conditions: comparisons, logic, Select, and the tests of index bounds. All of them work element
// by element on vectors. A number in the place of a condition counts as true when it is not 0.

#include <vector>

#include "core/language/functions.h"

namespace thallo::language {
namespace {

ExprId truth(ExprGraph& graph, ExprId id) {
  if (graph.is_boolean(id)) return id;
  return graph.logical_not(graph.binary(Op::Eq, id, graph.constant(0)));
}

using Rule = ExprId (*)(ExprGraph&, ExprId, ExprId);

template <Op op>
ExprId holds(ExprGraph& graph, ExprId a, ExprId b) {
  return graph.binary(op, a, b);
}
template <Op op>
ExprId holds_reversed(ExprGraph& graph, ExprId a, ExprId b) {
  return graph.binary(op, b, a);
}
ExprId differ(ExprGraph& graph, ExprId a, ExprId b) {
  return graph.logical_not(graph.binary(Op::Eq, a, b));
}

template <Rule rule>
int compare(Call& call) {
  const Elements a = call.elements(1), b = call.elements(2);
  return call.push(call.combine(a, b, rule));
}

ExprId conjunction(ExprGraph& graph, ExprId a, ExprId b) {
  return graph.mul(truth(graph, a), truth(graph, b));
}
ExprId disjunction(ExprGraph& graph, ExprId a, ExprId b) {
  return graph.binary(Op::Or, truth(graph, a), truth(graph, b));
}

// The one of a and b that `before` puts first, a where they are equal. A value that is not a number
// is the result, whichever it is: comparisons with it are false, and the branch is chosen so.
template <class Before>
ExprId first_of(ExprGraph& graph, ExprId a, ExprId b, const Before& before) {
  if (graph.is_constant(a)) return graph.select(before(Op::LessEq, a, b), a, b);
  ExprId takes_b = before(Op::Less, b, a);
  if (!graph.is_constant(b)) {
    const ExprId is_number = graph.binary(Op::Eq, b, b);
    takes_b = graph.binary(Op::Or, takes_b, graph.logical_not(is_number));
  }
  return graph.select(takes_b, b, a);
}
ExprId greatest(ExprGraph& graph, ExprId a, ExprId b) {
  return first_of(graph, a, b, [&](Op op, ExprId x, ExprId y) { return graph.binary(op, y, x); });
}
ExprId smallest(ExprGraph& graph, ExprId a, ExprId b) {
  return first_of(graph, a, b, [&](Op op, ExprId x, ExprId y) { return graph.binary(op, x, y); });
}

// Left fold over all arguments, element by element: And(a, b, c).
template <Rule rule>
int fold_arguments(Call& call) {
  Elements result = call.elements(1);
  for (int i = 2; i <= call.num_arguments(); ++i) {
    const Elements next = call.elements(i);
    result = call.combine(result, next, rule);
  }
  return call.push(result);
}

// Fold over the entries of one vector: All(v).
template <Rule rule>
int fold_entries(Call& call) {
  const Elements entries = call.elements(1);
  if (entries.ids.empty()) call.fault("the list of conditions is empty");
  ExprId result = truth(call.graph(), entries.ids[0]);
  for (const ExprId entry : entries.ids) result = rule(call.graph(), result, entry);
  return call.push_scalar(result);
}

int logical_not(Call& call) {
  Elements result = call.elements(1);
  for (ExprId& id : result.ids) id = call.graph().logical_not(truth(call.graph(), id));
  return call.push(result);
}

// Select(condition, then, else)
int select_value(Call& call) {
  if (call.num_arguments() != 3)
    call.fault("expected (condition, then, else), found {} arguments", call.num_arguments());
  const Elements condition = call.elements(1, "a condition");
  const Elements then_value = call.elements(2);
  const Elements else_value = call.elements(3);
  const std::size_t size =
      call.common_size({&condition, &then_value, &else_value}, "the condition and the two values");
  Elements result{{}, condition.is_vector || then_value.is_vector || else_value.is_vector};
  for (std::size_t i = 0; i < size; ++i)
    result.ids.push_back(call.graph().select(truth(call.graph(), condition.at(i)), then_value.at(i),
                                             else_value.at(i)));
  return call.push(result);
}

// The dim whose extent bounds a component: the dim of its only loop variable or map lookup. Invalid
// when it has none or several.
DimId bounding_dim(Call& call, const Affine& component) {
  if (component.terms.size() != 1) return {};
  const IndexTable& table = call.graph().indices();
  const Atom& atom = table.atom(component.terms[0].atom);
  if (atom.is_domain()) return table.domain(atom.domain).dim;
  const SparseMap& map = call.load().data().maps[atom.map.index()];
  return map.out[static_cast<std::size_t>(atom.output)];
}

// Tests an index against a dim that its author has not named.
ExprId test_bounds(Call& call, const Affine& component, DimId bound) {
  const ExprId test = call.graph().in_bounds(component, bound);
  if (call.graph()[test].op == Op::InBounds)
    call.load().unnamed_bounds.try_emplace(test, call.where());
  return test;
}

// InBounds(x + 1, y): is every index within the extent of its own dim? A dim after an index is the
// one that the index is tested against: InBounds(x - k, W).
int in_bounds(Call& call) {
  if (call.num_arguments() == 0) call.fault("expected indices, e.g. InBounds(x + 1, y)");
  ExprId result = call.graph().boolean(true);
  for (int i = 1; i <= call.num_arguments(); ++i) {
    if (call.find<Scalar>(i) != nullptr || call.find<FieldRef>(i) != nullptr)
      call.fault("expected an index such as x or x + 1, found {}", call.describe(i));
    const std::vector<Affine> components = call.components(i, i);
    const auto* dim = i < call.num_arguments() ? call.find<DimRef>(i + 1) : nullptr;
    if (dim != nullptr && components.size() != 1)
      call.fault("the dim {} follows {} indices; it tests one", call.describe(i + 1),
                 components.size());
    for (const Affine& component : components) {
      const DimId bound = dim != nullptr ? dim->id : bounding_dim(call, component);
      if (!bound.valid())
        call.fault(
            "argument {} is an index with {} loop variables, so it is not clear which dim bounds "
            "it; name the dim after it, e.g. InBounds(x - k, W)",
            i, component.terms.size());
      const ExprId test = dim != nullptr ? call.graph().in_bounds(component, bound)
                                         : test_bounds(call, component, bound);
      result = call.graph().mul(result, test);
    }
    if (dim != nullptr) ++i;
  }
  return call.push_scalar(result);
}

// InBoundsExpanded(x, y, e): e <= x < W - e and e <= y < H - e.
int in_bounds_expanded(Call& call) {
  const int last = call.num_arguments();
  if (last < 2) call.fault("expected indices and a margin, e.g. InBoundsExpanded(x, y, 1)");
  const std::int64_t margin = call.integer(last, "an integer margin as the last argument");
  ExprGraph& graph = call.graph();
  ExprId result = graph.boolean(true);
  for (const Affine& component : call.components(1, last - 1)) {
    const DimId bound = bounding_dim(call, component);
    if (!bound.valid()) call.fault("expected indices over one dim each, e.g. (x, y, 1)");
    for (const std::int64_t shift : {-margin, margin}) {
      Affine shifted = component;
      shifted.constant += shift;
      result = graph.mul(result, test_bounds(call, shifted, bound));
    }
  }
  return call.push_scalar(result);
}

constexpr HostFunction ConditionFunctions[] = {
    {"All", &fold_entries<conjunction>},
    {"And", &fold_arguments<conjunction>},
    {"Any", &fold_entries<disjunction>},
    {"InBounds", &in_bounds},
    {"InBoundsExpanded", &in_bounds_expanded},
    {"Max", &fold_arguments<greatest>},
    {"Min", &fold_arguments<smallest>},
    {"Not", &logical_not},
    {"Or", &fold_arguments<disjunction>},
    {"Select", &select_value},
    {"and_", &fold_arguments<conjunction>},
    {"eq", &compare<holds<Op::Eq>>},
    {"greater", &compare<holds_reversed<Op::Less>>},
    {"greatereq", &compare<holds_reversed<Op::LessEq>>},
    {"less", &compare<holds<Op::Less>>},
    {"lesseq", &compare<holds<Op::LessEq>>},
    {"neq", &compare<differ>},
    {"not_", &logical_not},
    {"or_", &fold_arguments<disjunction>},
};

}  // namespace

void add_conditions(lua_State* state) { add_functions(state, ConditionFunctions); }

}  // namespace thallo::language
