#include "core/kernel/codegen/body_builder.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/overloaded.h"
#include "core/kernel/codegen/body_order.h"
#include "core/kernel/codegen/windows.h"

namespace thallo {
namespace {

// What is nested deeper is converted from below, so that no depth overflows the stack.
constexpr int DeepestRecursion = 1000;

}  // namespace

BodyBuilder::BodyBuilder(const KernelProgram& program, const ExprGraph& graph,
                         std::vector<Reduction>& reductions, CodeBody& body, bool has_branches)
    : ValuePlacer(program, graph, body),
      reductions_(reductions),
      bounds_pass_(has_branches && program.passes.bounds) {}

void BodyBuilder::build(const std::vector<DomainId>& domains, const Block& block) {
  body_.domains = domains;
  root_->domains = domains;
  for (const DomainId domain : domains) {
    body_.extents.push_back(graph_.indices().domain(domain).dim);
    body_.coordinates.push_back(add_coordinate(domain));
    coordinates_[domain] = body_.coordinates.back();
  }
  statements(*root_, block, {});
}

void BodyBuilder::finish() { order_body(*this); }

const BodyBuilder::Mask* BodyBuilder::find_mask(ValueId value) const {
  const auto found = masks_.find(value);
  return found == masks_.end() ? nullptr : &found->second;
}

// ---- statements

void BodyBuilder::statements(Scope& scope, const Block& block, const std::vector<ValueId>& atoms) {
  for (const Statement& statement : block) add_statement(scope, statement, atoms);
}

// Converts the value of a statement that adds. Booleans of a masked product become conditions of
// the statement.
void BodyBuilder::masked(Scope& scope, ExprId expression, std::vector<ValueId>& atoms,
                         ValueId& value) {
  if (bounds_pass() && graph_.is_boolean(expression) && !graph_.is_constant(expression)) {
    collect_atoms(scope, expression, atoms);
    value = constant(1);
    return;
  }
  value = convert(scope, expression);
  if (!bounds_pass()) return;
  if (const Mask* mask = find_mask(value)) {
    for (const ValueId atom : mask->atoms) add_unique(atoms, atom);
    value = mask->product;
  }
}

// Converts the value of a scatter. Where neighboring threads add to one element, threads whose
// value is masked out add 0 along with the others: a warp can only add up first if all its threads
// take part.
void BodyBuilder::added(Scope& scope, ExprId expression, std::span<const IndexId> targets,
                        std::vector<ValueId>& atoms, ValueId& value) {
  const bool is_shared =
      !body_.domains.empty() && std::ranges::none_of(targets, [this](IndexId target) {
        return std::ranges::binary_search(graph_.indices().domains_of(target),
                                          body_.domains.front());
      });
  if (!is_shared) {
    masked(scope, expression, atoms, value);
    return;
  }
  value = convert(scope, expression);
  if (body_[value].type == ValueType::Bool)
    value = operation(scope, Op::Select, {value, constant(1), constant(0)});
}

void BodyBuilder::add_statement(Scope& scope, const Statement& statement,
                                const std::vector<ValueId>& outer_atoms) {
  std::vector<ValueId> atoms = outer_atoms;
  std::visit(Overloaded{
                 [&](const Store& s) {
                   StoreItem item{s.field, element(scope, program_.field(s.field).dims, s.index),
                                  s.channel, convert(scope, s.value)};
                   scope.statements.push_back({item, atoms});
                 },
                 [&](const ScatterAdd& s) {
                   AddItem item{s.field, {}, s.channel, {}, {}};
                   added(scope, s.value, std::span(&s.index, 1), atoms, item.value);
                   const std::vector<DimId>& dims = program_.field(s.field).dims;
                   for (const ValueId atom : bounds(scope, dims, s.index)) add_unique(atoms, atom);
                   item.element = element(scope, dims, s.index);
                   scope.statements.push_back({item, atoms});
                 },
                 [&](const MatrixAdd& s) {
                   MatrixAddItem item{s.matrix, {}, {}, {}, {}};
                   const IndexId targets[] = {s.row.index, s.col.index};
                   added(scope, s.value, targets, atoms, item.value);
                   for (const auto& [from, to] :
                        {std::pair(&s.row, &item.row), std::pair(&s.col, &item.col)}) {
                     const std::vector<DimId>& dims = program_.field(from->unknown).dims;
                     for (const ValueId atom : bounds(scope, dims, from->index))
                       add_unique(atoms, atom);
                     *to = {from->unknown, element(scope, dims, from->index), from->channel};
                   }
                   scope.statements.push_back({item, atoms});
                 },
                 [&](const Reduce& s) {
                   const Reduction reduction{s.op, s.slot};
                   auto found = std::ranges::find_if(reductions_, [&](const Reduction& r) {
                     return r.op == reduction.op && r.slot == reduction.slot;
                   });
                   if (found == reductions_.end()) found = reductions_.insert(found, reduction);
                   ReduceItem item{static_cast<std::size_t>(found - reductions_.begin()), {}};
                   masked(scope, s.value, atoms, item.value);
                   scope.statements.push_back({item, atoms});
                 },
                 [&](const Loop& s) {
                   std::unique_ptr<ScopeLoop> loop = make_loop(scope, s.domains);
                   for (std::size_t d = 0; d < s.domains.size(); ++d)
                     coordinates_[s.domains[d]] = loop->coordinates[d];
                   statements(*loop->body, s.body, atoms);
                   scope.loops.push_back(std::move(loop));
                 },
                 [&](const Guard& s) {
                   collect_atoms(scope, s.condition, atoms);
                   statements(scope, s.body, atoms);
                 },
             },
             statement.node);
}

// ---- expressions

ValueId BodyBuilder::convert(Scope& scope, ExprId expression) {
  if (graph_.is_constant(expression)) return constant(graph_.constant_value(expression));
  Scope& target = scope_of(scope, graph_.free_domains(expression));
  if (const auto known = target.expressions.find(expression); known != target.expressions.end())
    return known->second;
  const int outer_line = std::exchange(line_, graph_.line(expression));
  if (++depth_ % DeepestRecursion == 0) convert_below(scope, expression);
  const ValueId result = convert_in(target, expression);
  --depth_;
  line_ = outer_line;
  target.expressions.emplace(expression, result);
  return result;
}

// Converts what an expression is made of, operands first, but for what is inside of Sums.
void BodyBuilder::convert_below(Scope& scope, ExprId expression) {
  for (const ExprId id : graph_.reachable(std::span(&expression, 1))) {
    const bool is_outside = std::ranges::all_of(
        graph_.free_domains(id), [&](DomainId domain) { return coordinates_.contains(domain); });
    if (id != expression && is_outside) convert(scope, id);
  }
}

ValueId BodyBuilder::convert_in(Scope& scope, ExprId expression) {
  const ExprNode node = graph_[expression];
  switch (node.op) {
    case Op::Access: {
      const Field& field = program_.field(graph_.field(expression));
      const IndexId index = graph_.index(expression);
      const bool scalar =
          field.kind == FieldKind::Param || graph_.field(expression) == program_.state;
      Instruction load{.kind = InstructionKind::Load,
                       .type = scalar ? ValueType::Scalar : ValueType::Real,
                       .channel = node.channel,
                       .field = graph_.field(expression)};
      if (field.dims.empty()) return add(scope, std::move(load));
      const std::vector<ValueId> guard = bounds(scope, field.dims, index);
      load.operands = {element(scope, field.dims, index)};
      load.window = find_window(expression);
      const ValueId id = add(scope, std::move(load));
      if (!guard.empty()) guards_[id] = guard;
      return id;
    }
    case Op::InBounds:
      return in_range(scope, graph_.indices()[graph_.index(expression)].front(),
                      graph_.bound_dim(expression));
    case Op::IndexValue: {
      const ValueId value = component(scope, graph_.indices()[graph_.index(expression)].front());
      return add(scope,
                 {.kind = InstructionKind::ToReal, .type = ValueType::Real, .operands = {value}});
    }
    case Op::Sample: {
      Instruction sample{.kind = InstructionKind::Sample,
                         .type = ValueType::Real,
                         .channel = node.channel,
                         .field = graph_.sampler(expression).image};
      return add_sample(scope, std::move(sample), expression);
    }
    case Op::SampleLayer:
      return add_sample(scope,
                        {.kind = InstructionKind::Sample,
                         .type = ValueType::Real,
                         .channel = node.channel,
                         .field = graph_.layers(expression)},
                        expression);
    case Op::Sum: return tensor_sum(scope, expression);
    case Op::Mul: return product(scope, expression);
    case Op::Freeze:
    case Op::Identity: return convert(scope, ExprId(node.a));
    default: break;
  }
  std::vector<ValueId> operands;
  for (const ExprId operand : graph_.operands(expression))
    operands.push_back(convert(scope, operand));
  if (node.op == Op::Select || node.op == Op::Not || node.op == Op::Or)
    operands[0] = boolean(scope, operands[0]);
  if (node.op == Op::Or) operands[1] = boolean(scope, operands[1]);
  return operation(scope, node.op, std::move(operands),
                   node.op == Op::PowI ? graph_.exponent(expression) : 0);
}

ValueId BodyBuilder::operation(Scope& scope, Op op, std::vector<ValueId> operands, int exponent) {
  Instruction instruction{.kind = InstructionKind::Operation, .op = op, .exponent = exponent};
  const auto type_of = [&](ValueId id) { return body_[id].type; };
  const bool all_bool =
      std::ranges::all_of(operands, [&](ValueId id) { return type_of(id) == ValueType::Bool; });
  const bool any_real =
      std::ranges::any_of(operands, [&](ValueId id) { return type_of(id) == ValueType::Real; });
  if (info(op).is_boolean || (op == Op::Mul && all_bool)) {
    instruction.type = ValueType::Bool;
  } else {
    instruction.type = any_real ? ValueType::Real : ValueType::Scalar;
  }
  instruction.operands = std::move(operands);
  return add(scope, std::move(instruction));
}

ValueId BodyBuilder::boolean(Scope& scope, ValueId value) {
  if (body_[value].type == ValueType::Bool) return value;
  const ValueId zero = operation(scope, Op::Eq, {value, constant(0)});
  return operation(scope, Op::Not, {zero});
}

void BodyBuilder::collect_atoms(Scope& scope, ExprId expression, std::vector<ValueId>& atoms) {
  if (graph_.is_constant(expression)) {
    THALLO_ASSERT(graph_.constant_value(expression) != 0, "a guard that is never true");
    return;
  }
  if (graph_[expression].op == Op::Mul) {
    for (const ExprId factor : graph_.operands(expression)) collect_atoms(scope, factor, atoms);
    return;
  }
  add_unique(atoms, boolean(scope, convert(scope, expression)));
}

// Products of booleans and numbers are selections: booleans ? product of the numbers : 0.
ValueId BodyBuilder::product(Scope& scope, ExprId expression) {
  std::vector<ValueId> numbers;
  std::vector<ValueId> atoms;
  for (const ExprId factor : graph_.operands(expression)) {
    if (graph_.is_boolean(factor) && !graph_.is_constant(factor)) {
      collect_atoms(scope, factor, atoms);
    } else {
      numbers.push_back(convert(scope, factor));
    }
  }
  if (numbers.empty()) return conjunction(scope, atoms);
  drop_implied(numbers, atoms);
  const ValueId value = numbers.size() == 1 ? numbers.front() : operation(scope, Op::Mul, numbers);
  if (atoms.empty()) return value;
  const ValueId condition = conjunction(scope, atoms);
  const ValueId selected = operation(scope, Op::Select, {condition, value, constant(0)});
  masks_[selected] = {atoms, value};
  return selected;
}

// A window is 0 where its guard does not hold, and so is a product with it, if the other factors
// are finite there.
void BodyBuilder::drop_implied(const std::vector<ValueId>& factors, std::vector<ValueId>& atoms) {
  if (!std::ranges::all_of(factors, [this](ValueId factor) { return is_finite(factor); })) return;
  for (const ValueId factor : factors) {
    if (body_[factor].window < 0) continue;
    const std::vector<ValueId>& guard = guard_atoms(factor);
    std::erase_if(atoms,
                  [&](ValueId atom) { return std::ranges::find(guard, atom) != guard.end(); });
  }
}

// True of what memory has, and of sums and products of that.
bool BodyBuilder::is_finite(ValueId value) const {
  const auto is_read = [this](ValueId v) {
    return body_[v].kind != InstructionKind::Operation && body_[v].kind != InstructionKind::Sample;
  };
  const Instruction& instruction = body_[value];
  const bool is_sum = instruction.kind == InstructionKind::Operation &&
                      (instruction.op == Op::Add || instruction.op == Op::Mul);
  return is_read(value) || (is_sum && std::ranges::all_of(instruction.operands, is_read));
}

int BodyBuilder::find_window(ExprId access) const {
  const auto window = std::ranges::find_if(body_.windows, [&](const Window& its) {
    return its.field == graph_.field(access) && its.channel == graph_.channel(access);
  });
  if (window == body_.windows.end()) return -1;
  const auto components = window_components(graph_.indices(), body_.domains, graph_.index(access));
  return components && are_parallel(window->components, *components)
             ? static_cast<int>(window - body_.windows.begin())
             : -1;
}

ValueId BodyBuilder::add_sample(Scope& scope, Instruction sample, ExprId expression) {
  for (const ExprId operand : graph_.operands(expression))
    sample.operands.push_back(convert(scope, operand));
  sample.dims = program_.field(sample.field).dims;
  return add(scope, std::move(sample));
}

ValueId BodyBuilder::tensor_sum(Scope& scope, ExprId expression) {
  place_sums_before(scope, expression);
  ScopeLoop& loop = loop_of_sum(scope, expression);
  std::map<DomainId, ValueId> shadowed;
  for (std::size_t i = 0; i < loop.domains.size(); ++i) {
    if (const auto outer = coordinates_.find(loop.domains[i]); outer != coordinates_.end())
      shadowed.insert(*outer);
    coordinates_[loop.domains[i]] = loop.coordinates[i];
  }
  const ValueId addend = convert(*loop.body, ExprId(graph_[expression].a));
  for (const DomainId domain : loop.domains) coordinates_.erase(domain);
  coordinates_.merge(shadowed);

  // The loop defines the sum; this instruction gives it a type.
  const SumKind kind = graph_.sum_kind(expression);
  body_.values.push_back({.kind = InstructionKind::Operation,
                          .type = kind == SumKind::Working ? ValueType::Real : ValueType::Scalar,
                          .op = Op::Sum});
  const ValueId sum(body_.values.size() - 1);
  loop.accumulators.push_back(
      {sum, addend, kind == SumKind::Largest ? ReduceOp::Max : ReduceOp::Sum});
  loop.sums.push_back(expression);
  return sum;
}

// The loops of a scope that an expression depends on, directly or through other loops.
std::set<const ScopeLoop*> BodyBuilder::loops_needed_by(const Scope& scope,
                                                        ExprId expression) const {
  std::set<const ScopeLoop*> needed;
  std::vector<ExprId> roots = {expression};
  for (bool grows = true; grows;) {
    grows = false;
    const std::vector<ExprId> parts = graph_.reachable(roots);
    for (const std::unique_ptr<ScopeLoop>& loop : scope.loops) {
      const bool is_needed = std::ranges::any_of(
          loop->sums, [&](ExprId sum) { return std::ranges::binary_search(parts, sum); });
      if (!is_needed || !needed.insert(loop.get()).second) continue;
      roots.insert(roots.end(), loop->sums.begin(), loop->sums.end());
      grows = true;
    }
  }
  return needed;
}

// Gives loops to the Sums that `sum` waits for, before `sum` gets its own: then it is known which
// loops it can share.
void BodyBuilder::place_sums_before(Scope& scope, ExprId sum) {
  const std::vector<DomainId>& bound = graph_.sum_domains(sum);
  for (const ExprId part : graph_.reachable(std::span(&sum, 1))) {
    if (part == sum || graph_[part].op != Op::Sum) continue;
    const std::vector<DomainId>& free = graph_.free_domains(part);
    const bool is_inner =
        std::ranges::any_of(free, [&](DomainId domain) { return !coordinates_.contains(domain); });
    const bool varies = std::ranges::any_of(
        bound, [&](DomainId domain) { return std::ranges::binary_search(free, domain); });
    if (!is_inner && !varies) convert(scope, part);
  }
}

// Sums over the same points share a loop, unless one would wait for the other.
ScopeLoop& BodyBuilder::loop_of_sum(Scope& scope, ExprId sum) {
  std::vector<DomainId> domains = graph_.sum_domains(sum);
  if (!body_.windows.empty()) move_rows_first(graph_, body_.domains, sum, domains);
  const std::set<const ScopeLoop*> needed = loops_needed_by(scope, sum);
  for (const std::unique_ptr<ScopeLoop>& loop : scope.loops) {
    const bool is_of_sums = !loop->sums.empty();
    if (is_of_sums && loop->domains == domains && !needed.contains(loop.get())) return *loop;
  }
  std::unique_ptr<ScopeLoop> loop = make_loop(scope, domains);
  bound_run(scope, *loop);
  scope.loops.push_back(std::move(loop));
  return *scope.loops.back();
}

void BodyBuilder::bound_run(Scope& scope, ScopeLoop& loop) {
  const Domain& run = graph_.indices().domain(loop.domains.front());
  if (!run.is_run()) return;
  THALLO_ASSERT_EQ(loop.domains.size(), std::size_t{1});
  const SparseMap& offsets = program_.maps[run.offsets.index()];
  const ValueId at = element(scope, offsets.in, run.at);
  const ValueId next = add_once(scope,
                                {.kind = InstructionKind::Affine,
                                 .type = ValueType::Index,
                                 .offset = 1,
                                 .coefficients = {1},
                                 .operands = {at}},
                                {1, at.value(), 1});
  for (const auto& [bound, place] : {std::pair(&loop.begin, at), std::pair(&loop.end, next)}) {
    *bound = add_once(scope,
                      {.kind = InstructionKind::MapLoad,
                       .type = ValueType::Index,
                       .operands = {place},
                       .map = run.offsets},
                      {-1, run.offsets.value(), place.value()});
  }
}

}  // namespace thallo
