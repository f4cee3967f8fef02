#include "core/kernel/codegen/body_items.h"

#include <algorithm>
#include <iterator>

namespace thallo {
namespace {

bool is_free_value(const Instruction& v) {  // needs no evaluation
  return v.kind == InstructionKind::Constant || v.kind == InstructionKind::Coordinate;
}

std::vector<ValueId> statement_uses(const ScopeStatement& statement) {
  std::vector<ValueId> uses = statement.atoms;
  const auto use = [&](ValueId id) {
    if (id.valid()) uses.push_back(id);
  };
  if (const auto* store = std::get_if<StoreItem>(&statement.node)) {
    use(store->element);
    use(store->value);
  } else if (const auto* add = std::get_if<AddItem>(&statement.node)) {
    use(add->element);
    use(add->value);
  } else if (const auto* matrix = std::get_if<MatrixAddItem>(&statement.node)) {
    use(matrix->row.element);
    use(matrix->col.element);
    use(matrix->value);
  } else {
    use(std::get<ReduceItem>(statement.node).value);
  }
  return uses;
}

}  // namespace

Atoms unite(const Atoms& a, const Atoms& b) {
  Atoms result;
  std::ranges::set_union(a, b, std::back_inserter(result));
  return result;
}

Atoms intersect(const Atoms& a, const Atoms& b) {
  Atoms result;
  std::ranges::set_intersection(a, b, std::back_inserter(result));
  return result;
}

int cost_of(const Instruction& v) {
  switch (v.kind) {
    case InstructionKind::Load:
    case InstructionKind::MapLoad: return 4;
    case InstructionKind::Sample: return 30;
    case InstructionKind::Operation: break;
    default: return 1;
  }
  switch (v.op) {
    case Op::Add:
    case Op::Mul: return static_cast<int>(v.operands.size()) - 1;
    case Op::PowI: return v.exponent < 0 ? 8 : 2;
    case Op::Sqrt: return 8;
    case Op::Less:
    case Op::LessEq:
    case Op::Eq:
    case Op::Not:
    case Op::Or:
    case Op::Select:
    case Op::Abs: return 1;
    default: return 20;
  }
}

int cost_of(const BodyBuilder& builder, const BodyItem& item) {
  switch (item.kind) {
    case BodyItem::Kind::Value: return cost_of(builder.body()[item.value]);
    case BodyItem::Kind::Loop: return 100;
    case BodyItem::Kind::Statement:
      return std::holds_alternative<AddItem>(item.statement->node) ? branch_threshold : 0;
  }
  return 0;
}

BodyItems::BodyItems(BodyBuilder& builder, Scope& scope) : b_(builder) {
  make_items(scope);
  std::ranges::sort(definitions_);
  sort_topologically();
}

std::optional<std::size_t> BodyItems::find(ValueId value) const {
  const auto found =
      std::ranges::lower_bound(definitions_, value, {}, &std::pair<ValueId, std::size_t>::first);
  if (found == definitions_.end() || found->first != value) return std::nullopt;
  return found->second;
}

ValueId BodyItems::resolved(ValueId value) const {
  for (auto found = alias_.find(value); found != alias_.end(); found = alias_.find(value))
    value = found->second;
  return value;
}

void BodyItems::add(BodyItem item, const std::vector<ValueId>& defines) {
  for (const ValueId value : defines) definitions_.emplace_back(value, items_.size());
  items_.push_back(std::move(item));
}

ValueId BodyItems::add_conjunction(const Atoms& atoms, const Atoms& condition) {
  b_.body().values.push_back({.kind = InstructionKind::Operation,
                              .type = ValueType::Bool,
                              .op = Op::Mul,
                              .operands = atoms});
  const ValueId value(b_.body().values.size() - 1);
  add({.value = value, .uses = atoms, .condition = condition, .live = true}, {value});
  return value;
}

void BodyItems::make_items(Scope& scope) {
  for (const ValueId value : scope.values) {
    if (is_free_value(b_.body()[value])) continue;
    BodyItem item{.kind = BodyItem::Kind::Value, .value = value};
    item.uses = value_uses(value);
    if (b_.body()[value].kind == InstructionKind::Load) item.loads = {b_.body()[value].field};
    add(std::move(item), {value});
  }
  for (const std::unique_ptr<ScopeLoop>& loop : scope.loops) {
    BodyItem item{.kind = BodyItem::Kind::Loop, .loop = loop.get()};
    std::set<ValueId> uses;
    std::set<FieldId> loads;
    collect_loop_uses(*loop, uses, loads);
    item.uses.assign(uses.begin(), uses.end());
    item.loads.assign(loads.begin(), loads.end());
    if (loop->accumulators.empty()) {
      item.condition = hoist_conditions(*loop);
      item.live = true;
    }
    std::vector<ValueId> sums;
    for (const Accumulator& a : loop->accumulators) sums.push_back(a.sum);
    add(std::move(item), sums);
  }
  for (ScopeStatement& statement : scope.statements) {
    BodyItem item{.kind = BodyItem::Kind::Statement,
                  .statement = &statement,
                  .uses = statement_uses(statement),
                  .live = true};
    if (const auto* store = std::get_if<StoreItem>(&statement.node)) item.store = store->field;
    // Without the pass, statements that add have a guard of their own.
    const bool has_guard = std::holds_alternative<AddItem>(statement.node) ||
                           std::holds_alternative<MatrixAddItem>(statement.node);
    if (b_.bounds_pass() || !has_guard) item.condition = statement.atoms;
    add(std::move(item), {});
  }
}

std::vector<ValueId> BodyItems::value_uses(ValueId value) const {
  std::vector<ValueId> uses = b_.body()[value].operands;
  for (const ValueId atom : b_.guard_atoms(value)) uses.push_back(atom);
  if (const BodyBuilder::Mask* mask = b_.find_mask(value)) {
    for (const ValueId atom : mask->atoms) uses.push_back(atom);
  }
  return uses;
}

// Collects every value that is used inside the loop, also those that are defined inside: these have
// no item in this scope, so nothing looks them up.
void BodyItems::collect_loop_uses(const ScopeLoop& loop, std::set<ValueId>& uses,
                                  std::set<FieldId>& loads) const {
  const Scope& body = *loop.body;
  for (const ValueId value : body.values) {
    for (const ValueId use : value_uses(value)) uses.insert(use);
    if (b_.body()[value].kind == InstructionKind::Load) loads.insert(b_.body()[value].field);
  }
  for (const ScopeStatement& statement : body.statements) {
    for (const ValueId use : statement_uses(statement)) uses.insert(use);
  }
  for (const Accumulator& a : loop.accumulators) uses.insert(a.addend);
  if (loop.begin.valid()) uses.insert({loop.begin, loop.end});
  for (const std::unique_ptr<ScopeLoop>& inner : body.loops) collect_loop_uses(*inner, uses, loads);
}

// Conditions that all statements of a loop share and that do not vary in it become conditions of
// the loop.
Atoms BodyItems::hoist_conditions(ScopeLoop& loop) const {
  if (!b_.bounds_pass()) return {};
  Scope& body = *loop.body;
  std::set<ValueId> inside;
  for (const ValueId value : body.values) inside.insert(value);
  Atoms common;
  bool first = true;
  const auto keep_common = [&](const Atoms& atoms) {
    if (first) {
      common = atoms;
    } else {
      std::erase_if(common, [&](ValueId a) { return std::ranges::find(atoms, a) == atoms.end(); });
    }
    first = false;
  };
  for (const ScopeStatement& statement : body.statements) keep_common(statement.atoms);
  for (const std::unique_ptr<ScopeLoop>& inner : body.loops) {
    if (inner->accumulators.empty()) keep_common({});
  }
  std::erase_if(common, [&](ValueId a) { return inside.contains(a); });
  for (ScopeStatement& statement : body.statements) {
    std::erase_if(statement.atoms,
                  [&](ValueId a) { return std::ranges::find(common, a) != common.end(); });
  }
  return common;
}

// Sine and cosine of one angle come one after the other, where compilers share the reduction of the
// angle: both test for huge angles, and nothing is shared across such a branch.
void BodyItems::sort_topologically() {
  std::map<ValueId, std::vector<std::size_t>> of_angle;  // sines and cosines, by operand
  const auto angle_of = [&](std::size_t i) -> std::optional<ValueId> {
    if (items_[i].kind != BodyItem::Kind::Value) return {};
    const Instruction& v = b_.body()[items_[i].value];
    if (v.op != Op::Sin && v.op != Op::Cos) return {};
    return v.operands.front();
  };
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (const auto angle = angle_of(i)) of_angle[*angle].push_back(i);
  std::vector<int> mark(items_.size(), 0);
  const auto visit = [&](const auto& self, std::size_t i) -> void {
    if (mark[i] != 0) return;
    mark[i] = 1;
    for (const ValueId use : items_[i].uses) {
      if (const auto definition = find(use)) self(self, *definition);
    }
    topological_.push_back(i);
    if (const auto angle = angle_of(i))
      for (const std::size_t other : of_angle[*angle]) self(self, other);
  };
  for (std::size_t i = 0; i < items_.size(); ++i) visit(visit, i);
}

}  // namespace thallo
