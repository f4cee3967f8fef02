// Order of evaluation of one section. Every value gets the *condition* under which it is needed: a
// set of booleans (atoms), the intersection over its uses; a masked product needs its number only
// where its atoms hold, a statement runs only where its atoms hold. Items with equal conditions are
// put together, so that work under a false mask is skipped by one branch, and loads whose bounds
// are among the known conditions lose their own test. Conditions that would guard too little work
// for a branch stay selections.

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/kernel/body_builder.h"

namespace thallo {
namespace {

using Atoms = std::vector<ValueId>;  // ascending by rank once sorted

constexpr int branch_threshold = 8;  // work below this is cheaper computed than skipped

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

bool is_free_value(const Instruction& v) {  // needs no evaluation
  return v.kind == InstructionKind::Constant || v.kind == InstructionKind::Coordinate;
}

class ScopeOrder {
 public:
  // `active`: atoms known to hold around this scope. `results`: values used after its last
  // statement.
  ScopeOrder(BodyBuilder& builder, Scope& scope, std::set<ValueId> active,
             std::vector<ValueId> results)
      : b_(builder), scope_(scope), active_(std::move(active)), results_(std::move(results)) {}

  CodeBlock run() {
    make_items();
    sort_topologically();
    analyze();
    if (b_.bounds_pass()) {
      disable_small_masks();
      analyze();
    }
    resolve_masks();
    place_guards();
    drop_unused();
    std::vector<std::size_t> sequence = schedule();
    CodeBlock block = nest(sequence);
    find_escapes(block);
    return block;
  }

  // A selection that was replaced by its number goes by the number's name.
  ValueId resolved(ValueId value) const {
    for (auto found = alias_.find(value); found != alias_.end(); found = alias_.find(value))
      value = found->second;
    return value;
  }

 private:
  enum class Kind { Value, Statement, Loop };
  struct Item {
    Kind kind = Kind::Value;
    ValueId value;
    ScopeStatement* statement = nullptr;
    ScopeLoop* loop = nullptr;
    std::vector<ValueId> uses;
    Atoms condition;
    bool live = false;
    std::vector<FieldId> loads;  // fields it reads
    FieldId store;               // field it overwrites
  };

  // ---- items and their uses

  void make_items() {
    for (const ValueId value : scope_.values) {
      if (is_free_value(b_.body()[value])) continue;
      Item item{.kind = Kind::Value, .value = value};
      item.uses = value_uses(value);
      if (b_.body()[value].kind == InstructionKind::Load) item.loads = {b_.body()[value].field};
      add(std::move(item), {value});
    }
    for (const std::unique_ptr<ScopeLoop>& loop : scope_.loops) {
      Item item{.kind = Kind::Loop, .loop = loop.get()};
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
    for (ScopeStatement& statement : scope_.statements) {
      Item item{.kind = Kind::Statement,
                .statement = &statement,
                .uses = statement_uses(statement),
                .live = true};
      if (const auto* store = std::get_if<StoreItem>(&statement.node)) item.store = store->field;
      item.condition = statement.atoms;
      if (!b_.bounds_pass()) item.condition.clear();
      add(std::move(item), {});
    }
  }

  void add(Item item, const std::vector<ValueId>& defines) {
    for (const ValueId value : defines) definition_[value] = items_.size();
    items_.push_back(std::move(item));
  }

  std::vector<ValueId> value_uses(ValueId value) const {
    std::vector<ValueId> uses = b_.body()[value].operands;
    for (const ValueId atom : b_.guard_atoms(value)) uses.push_back(atom);
    if (const BodyBuilder::Mask* mask = b_.find_mask(value)) {
      for (const ValueId atom : mask->atoms) uses.push_back(atom);
    }
    return uses;
  }

  static std::vector<ValueId> statement_uses(const ScopeStatement& statement) {
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

  // Everything used inside the loop; what is defined inside does no harm, it has no item here.
  void collect_loop_uses(const ScopeLoop& loop, std::set<ValueId>& uses,
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
    for (const std::unique_ptr<ScopeLoop>& inner : body.loops)
      collect_loop_uses(*inner, uses, loads);
  }

  // Conditions that all statements of a loop share and that do not vary in it become conditions of
  // the loop.
  Atoms hoist_conditions(ScopeLoop& loop) {
    if (!b_.bounds_pass()) return {};
    Scope& body = *loop.body;
    std::set<ValueId> inside;
    for (const ValueId value : body.values) inside.insert(value);
    Atoms common;
    bool first = true;
    const auto intersect = [&](const Atoms& atoms) {
      if (first) {
        common = atoms;
      } else {
        std::erase_if(common,
                      [&](ValueId a) { return std::ranges::find(atoms, a) == atoms.end(); });
      }
      first = false;
    };
    for (const ScopeStatement& statement : body.statements) intersect(statement.atoms);
    for (const std::unique_ptr<ScopeLoop>& inner : body.loops) {
      if (inner->accumulators.empty()) intersect({});
    }
    std::erase_if(common, [&](ValueId a) { return inside.contains(a); });
    for (ScopeStatement& statement : body.statements) {
      std::erase_if(statement.atoms,
                    [&](ValueId a) { return std::ranges::find(common, a) != common.end(); });
    }
    return common;
  }

  void sort_topologically() {
    std::vector<int> mark(items_.size(), 0);
    const auto visit = [&](const auto& self, std::size_t i) -> void {
      if (mark[i] != 0) return;
      mark[i] = 1;
      for (const ValueId use : items_[i].uses) {
        if (const auto found = definition_.find(use); found != definition_.end())
          self(self, found->second);
      }
      topological_.push_back(i);
    };
    for (std::size_t i = 0; i < items_.size(); ++i) visit(visit, i);
  }

  // ---- conditions

  static Atoms unite(const Atoms& a, const Atoms& b) {
    Atoms result;
    std::ranges::set_union(a, b, std::back_inserter(result));
    return result;
  }

  // need_[value]: the intersection of the conditions of its uses; absent = not used.
  void require(ValueId value, const Atoms& condition) {
    const auto [it, inserted] = need_.try_emplace(value, condition);
    if (inserted) return;
    Atoms both;
    std::ranges::set_intersection(it->second, condition, std::back_inserter(both));
    it->second = std::move(both);
  }

  bool is_enabled(ValueId mask) const { return b_.bounds_pass() && !disabled_.contains(mask); }

  void analyze() {
    need_.clear();
    for (const ValueId result : results_) require(result, {});
    for (auto it = topological_.rbegin(); it != topological_.rend(); ++it) {
      Item& item = items_[*it];
      switch (item.kind) {
        case Kind::Statement: break;
        case Kind::Value: set_condition(item, {item.value}); break;
        case Kind::Loop:
          if (!item.loop->accumulators.empty()) {
            std::vector<ValueId> sums;
            for (const Accumulator& a : item.loop->accumulators) sums.push_back(a.sum);
            set_condition(item, sums);
          }
          break;
      }
      if (!item.live) continue;
      std::ranges::sort(item.condition);
      for (const ValueId atom : item.condition) require(atom, {});
      const BodyBuilder::Mask* mask = item.kind == Kind::Value ? b_.find_mask(item.value) : nullptr;
      for (const ValueId use : item.uses) {
        if (mask != nullptr && use == mask->product && is_enabled(item.value)) {
          Atoms atoms = mask->atoms;
          std::ranges::sort(atoms);
          require(use, unite(item.condition, atoms));
        } else if (is_atom(item, use)) {
          require(use, {});
        } else {
          require(use, item.condition);
        }
      }
    }
  }

  void set_condition(Item& item, const std::vector<ValueId>& defines) {
    item.live = false;
    item.condition.clear();
    for (const ValueId value : defines) {
      const auto found = need_.find(value);
      if (found == need_.end()) continue;
      item.condition = item.live ? intersection(item.condition, found->second) : found->second;
      item.live = true;
    }
  }
  static Atoms intersection(const Atoms& a, const Atoms& b) {
    Atoms result;
    std::ranges::set_intersection(a, b, std::back_inserter(result));
    return result;
  }

  // Booleans that decide are computed without conditions of their own, so that branches can be
  // nested in any order.
  bool is_atom(const Item& item, ValueId use) const {
    if (item.kind == Kind::Statement)
      return std::ranges::find(item.statement->atoms, use) != item.statement->atoms.end();
    if (item.kind == Kind::Loop) return false;
    const auto has = [&](const Atoms& atoms) {
      return std::ranges::find(atoms, use) != atoms.end();
    };
    const BodyBuilder::Mask* mask = b_.find_mask(item.value);
    return has(b_.guard_atoms(item.value)) || (mask != nullptr && has(mask->atoms));
  }

  int item_cost(const Item& item) const {
    switch (item.kind) {
      case Kind::Value: return cost_of(b_.body()[item.value]);
      case Kind::Loop: return 100;
      case Kind::Statement:
        return std::holds_alternative<AddItem>(item.statement->node) ? branch_threshold : 0;
    }
    return 0;
  }

  void disable_small_masks() {
    std::map<Atoms, int> work;
    for (const Item& item : items_) {
      if (item.live) work[item.condition] += item_cost(item);
    }
    for (const Item& item : items_) {
      if (!item.live || item.kind != Kind::Value) continue;
      const BodyBuilder::Mask* mask = b_.find_mask(item.value);
      if (mask == nullptr) continue;
      Atoms atoms = mask->atoms;
      std::ranges::sort(atoms);
      const Atoms guarded = unite(item.condition, atoms);
      int total = 0;
      for (const auto& [condition, cost] : work) {
        if (std::ranges::includes(condition, guarded)) total += cost;
      }
      if (total < branch_threshold) disabled_.insert(item.value);
    }
  }

  // A selection whose number is computed exactly where its atoms hold *is* that number: it is 0
  // elsewhere.
  void resolve_masks() {
    for (const std::size_t i : topological_) {
      Item& item = items_[i];
      if (item.live && item.kind == Kind::Value) {
        const BodyBuilder::Mask* mask = b_.find_mask(item.value);
        const auto product = mask == nullptr ? definition_.end() : definition_.find(mask->product);
        if (mask != nullptr && is_enabled(item.value) && product != definition_.end()) {
          Atoms atoms = mask->atoms;
          std::ranges::sort(atoms);
          if (items_[product->second].condition == unite(item.condition, atoms)) {
            alias_[item.value] = mask->product;
            item.live = false;
          }
        }
      }
    }
    for (Item& item : items_) {
      for (ValueId& use : item.uses) use = resolved(use);
    }
  }

  // What only replaced selections and dropped guards used is not computed. An atom may come after
  // the items it is a condition of in the topological order, which knows of uses only, so needs are
  // followed from the ends.
  void drop_unused() {
    std::vector<bool> needed(items_.size());
    std::vector<std::size_t> to_visit;
    const auto need = [&](std::size_t i) {
      if (!items_[i].live || needed[i]) return;
      needed[i] = true;
      to_visit.push_back(i);
    };
    const auto need_value = [&](ValueId value) {
      if (const auto found = definition_.find(resolved(value)); found != definition_.end())
        need(found->second);
    };
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind != Kind::Value) need(i);
    for (const ValueId result : results_) need_value(result);
    while (!to_visit.empty()) {
      const Item& item = items_[to_visit.back()];
      to_visit.pop_back();
      for (const ValueId use : item.uses) need_value(use);
      for (const ValueId atom : item.condition) need_value(atom);
    }
    for (std::size_t i = 0; i < items_.size(); ++i) items_[i].live = needed[i];
  }

  // Bounds tests of loads that the conditions do not already imply become their guard operand.
  void place_guards() {
    const std::size_t count = items_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!items_[i].live || items_[i].kind != Kind::Value) continue;
      const ValueId value = items_[i].value;
      if (const BodyBuilder::Mask* mask = b_.find_mask(value)) {
        // Atoms reach a selection through its condition operand.
        std::erase_if(items_[i].uses, [&](ValueId use) {
          return std::ranges::find(mask->atoms, use) != mask->atoms.end() &&
                 use != b_.body()[value].operands[0];
        });
      }
      Atoms guard = b_.guard_atoms(value);
      if (guard.empty()) continue;
      std::erase_if(items_[i].uses,
                    [&](ValueId use) { return std::ranges::find(guard, use) != guard.end(); });
      std::erase_if(guard, [&](ValueId atom) {
        return active_.contains(atom) || std::ranges::binary_search(items_[i].condition, atom);
      });
      if (guard.empty()) continue;
      const ValueId test =
          guard.size() == 1 ? guard.front() : add_conjunction(guard, items_[i].condition);
      b_.body().values[value.index()].operands.push_back(test);
      items_[i].uses.push_back(test);
    }
    if (b_.bounds_pass()) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (items_[i].kind != Kind::Statement || items_[i].statement->atoms.empty()) continue;
      const Atoms& atoms = items_[i].statement->atoms;
      const ValueId test = atoms.size() == 1 ? atoms.front() : add_conjunction(atoms, {});
      if (auto* add = std::get_if<AddItem>(&items_[i].statement->node)) add->guard = test;
      if (auto* matrix = std::get_if<MatrixAddItem>(&items_[i].statement->node))
        matrix->guard = test;
      items_[i].uses.push_back(test);
    }
  }

  ValueId add_conjunction(const Atoms& atoms, const Atoms& condition) {
    b_.body().values.push_back({.kind = InstructionKind::Operation,
                                .type = ValueType::Bool,
                                .op = Op::Mul,
                                .operands = atoms});
    const ValueId value(b_.body().values.size() - 1);
    Item item{
        .kind = Kind::Value, .value = value, .uses = atoms, .condition = condition, .live = true};
    add(std::move(item), {value});
    return value;
  }

  // ---- sequence

  // Conditions as branch paths: the atom that guards the most work is outermost.
  std::vector<Atoms> make_paths() const {
    std::map<ValueId, int> weight;
    for (const Item& item : items_) {
      if (!item.live) continue;
      for (const ValueId atom : item.condition) weight[atom] += 1 + item_cost(item);
    }
    std::vector<Atoms> paths;
    for (const Item& item : items_) {
      Atoms path = item.live ? item.condition : Atoms();
      std::ranges::sort(path, [&](ValueId a, ValueId b) {
        const int wa = weight[a];
        const int wb = weight[b];
        return wa != wb ? wa > wb : a < b;
      });
      paths.push_back(std::move(path));
    }
    return paths;
  }

  std::vector<std::size_t> schedule() {
    paths_ = make_paths();
    std::vector<std::set<std::size_t>> users(items_.size());
    std::vector<std::size_t> waiting(items_.size(), 0);
    const auto depends = [&](std::size_t user, std::size_t on) {
      if (user != on && items_[on].live && users[on].insert(user).second) ++waiting[user];
    };
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].live) continue;
      const auto depends_on_value = [&](ValueId value) {
        if (const auto found = definition_.find(value); found != definition_.end())
          depends(i, found->second);
      };
      for (const ValueId use : items_[i].uses) depends_on_value(use);
      for (const ValueId atom : items_[i].condition) depends_on_value(resolved(atom));
      if (!items_[i].store.valid()) continue;
      for (std::size_t j = 0; j < items_.size();
           ++j) {  // statements see the kernel's input: loads before stores
        if (std::ranges::find(items_[j].loads, items_[i].store) != items_[j].loads.end())
          depends(i, j);
      }
    }
    // Ready items by path; the current branch is finished before another is opened.
    const std::vector<std::size_t> order = position_in_topological_order();
    std::map<Atoms, std::set<std::pair<std::size_t, std::size_t>>> ready;
    std::size_t remaining = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].live) continue;
      ++remaining;
      if (waiting[i] == 0) ready[paths_[i]].insert({order[i], i});
    }
    std::vector<std::size_t> sequence;
    Atoms current;
    while (remaining > 0) {
      THALLO_ASSERT(!ready.empty(), "a cycle in a kernel body");
      if (!ready.contains(current)) current = next_path(ready, current);
      auto& here = ready.at(current);
      const std::size_t i = here.begin()->second;
      here.erase(here.begin());
      if (here.empty()) ready.erase(current);
      sequence.push_back(i);
      --remaining;
      for (const std::size_t user : users[i]) {
        if (--waiting[user] == 0) ready[paths_[user]].insert({order[user], user});
      }
    }
    return sequence;
  }

  std::vector<std::size_t> position_in_topological_order() const {
    std::vector<std::size_t> order(items_.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t k = 0; k < topological_.size(); ++k) order[topological_[k]] = k;
    return order;
  }

  template <class Ready>
  static Atoms next_path(const Ready& ready, const Atoms& current) {
    const auto common = [&](const Atoms& path) {
      std::size_t n = 0;
      while (n < path.size() && n < current.size() && path[n] == current[n]) ++n;
      return n;
    };
    auto best = ready.begin();
    for (auto it = ready.begin(); it != ready.end(); ++it) {
      const auto key =
          [&](const auto& entry) {  // longest common prefix, then shallowest, then earliest
            return std::tuple(-static_cast<int>(common(entry.first)), entry.first.size(),
                              entry.second.begin()->first);
          };
      if (key(*it) < key(*best)) best = it;
    }
    return best->first;
  }

  // ---- nesting

  CodeBlock nest(const std::vector<std::size_t>& sequence) {
    find_branch_points(sequence);
    CodeBlock root;
    std::vector<CodeBlock*> blocks = {&root};
    std::vector<std::size_t> depths = {0};  // atoms known in each open block
    Atoms open;
    for (const std::size_t i : sequence) {
      const Atoms& path = paths_[i];
      while (open.size() > path.size() || !std::equal(open.begin(), open.end(), path.begin())) {
        blocks.pop_back();
        depths.pop_back();
        open.resize(depths.back());
      }
      while (open.size() < path.size()) {
        Atoms next = open;
        do next.push_back(path[next.size()]);
        while (next.size() < path.size() && !branch_points_.contains(next));
        const Atoms tested(next.begin() + static_cast<std::ptrdiff_t>(open.size()), next.end());
        blocks.push_back(open_branch(*blocks.back(), tested));
        depths.push_back(next.size());
        open = std::move(next);
      }
      emit(items_[i], *blocks.back());
    }
    return root;
  }

  void find_branch_points(const std::vector<std::size_t>& sequence) {
    std::set<Atoms> paths;
    for (const std::size_t i : sequence) paths.insert(paths_[i]);
    for (const Atoms& a : paths) {
      branch_points_.insert(a);
      for (const Atoms& b : paths) {
        const auto [end, unused] = std::ranges::mismatch(a, b);
        branch_points_.insert(Atoms(a.begin(), end));
      }
    }
  }

  CodeBlock* open_branch(CodeBlock& block, const Atoms& atoms) {
    ValueId condition = resolved(atoms.front());
    if (atoms.size() > 1) {
      Atoms operands;
      for (const ValueId atom : atoms) operands.push_back(resolved(atom));
      b_.body().values.push_back({.kind = InstructionKind::Operation,
                                  .type = ValueType::Bool,
                                  .op = Op::Mul,
                                  .operands = operands});
      condition = ValueId(b_.body().values.size() - 1);
      block.push_back({Let{condition}});
    }
    block.push_back({IfItem{condition, {}, {}}});
    return &std::get<IfItem>(block.back().node).body;
  }

  void emit(Item& item, CodeBlock& block) {
    switch (item.kind) {
      case Kind::Value: {
        for (ValueId& operand : b_.body().values[item.value.index()].operands)
          operand = resolved(operand);
        block.push_back({Let{item.value}});
        break;
      }
      case Kind::Statement: {
        const auto resolve = [this](ValueId& id) {
          if (id.valid()) id = resolved(id);
        };
        auto& node = item.statement->node;
        if (auto* store = std::get_if<StoreItem>(&node)) {
          resolve(store->value);
          block.push_back({*store});
        } else if (auto* add = std::get_if<AddItem>(&node)) {
          resolve(add->value);
          block.push_back({*add});
        } else if (auto* matrix = std::get_if<MatrixAddItem>(&node)) {
          resolve(matrix->value);
          block.push_back({*matrix});
        } else {
          auto& reduce = std::get<ReduceItem>(node);
          resolve(reduce.value);
          block.push_back({reduce});
        }
        break;
      }
      case Kind::Loop: {
        LoopItem loop{.domains = item.loop->domains, .coordinates = item.loop->coordinates};
        apply_aliases(*item.loop);
        std::set<ValueId> active = active_;
        active.insert(item.condition.begin(), item.condition.end());
        // What the loop adds up is used at the end of its body.
        std::vector<ValueId> addends;
        for (const Accumulator& a : item.loop->accumulators) addends.push_back(a.addend);
        ScopeOrder inner(b_, *item.loop->body, std::move(active), std::move(addends));
        loop.body = inner.run();
        for (Accumulator a : item.loop->accumulators) {
          loop.accumulators.push_back({a.sum, inner.resolved(a.addend)});
        }
        block.push_back({std::move(loop)});
      }
    }
  }

  // Values of this scope that are used inside a loop go by their resolved names there.
  void apply_aliases(ScopeLoop& loop) {
    if (alias_.empty()) return;
    for (Accumulator& a : loop.accumulators) a.addend = resolved(a.addend);
    for (const ValueId value : loop.body->values) {
      for (ValueId& operand : b_.body().values[value.index()].operands) operand = resolved(operand);
    }
    for (ScopeStatement& statement : loop.body->statements) {
      if (auto* store = std::get_if<StoreItem>(&statement.node))
        store->value = resolved(store->value);
      if (auto* add = std::get_if<AddItem>(&statement.node)) add->value = resolved(add->value);
      if (auto* matrix = std::get_if<MatrixAddItem>(&statement.node))
        matrix->value = resolved(matrix->value);
      if (auto* reduce = std::get_if<ReduceItem>(&statement.node))
        reduce->value = resolved(reduce->value);
    }
    for (const std::unique_ptr<ScopeLoop>& inner : loop.body->loops) apply_aliases(*inner);
  }

  // ---- escapes

  // A value computed in a branch and used outside it must be declared outside and is 0 where the
  // branch is not taken.
  void find_escapes(CodeBlock& block) {
    std::vector<IfItem*> branches;
    locate(block, branches);
    std::vector<IfItem*> none;
    uses_in(block, none);
    for (const ValueId result : results_) use(resolved(result), {});
  }

  void locate(CodeBlock& block, std::vector<IfItem*>& branches) {
    for (CodeItem& item : block) {
      if (const auto* let = std::get_if<Let>(&item.node)) {
        place_[let->value] = branches;
      } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
        branches.push_back(branch);
        locate(branch->body, branches);
        branches.pop_back();
      } else if (auto* loop = std::get_if<LoopItem>(&item.node)) {
        for (const Accumulator& a : loop->accumulators) place_[a.sum] = branches;
      }
    }
  }

  void use(ValueId value, const std::vector<IfItem*>& branches) {
    const auto defined = place_.find(value);
    if (defined == place_.end()) return;
    for (std::size_t k = 0; k < defined->second.size(); ++k) {
      IfItem* branch = defined->second[k];
      if (k < branches.size() && branches[k] == branch) continue;
      if (std::ranges::find(branch->escapes, value) == branch->escapes.end())
        branch->escapes.push_back(value);
    }
  }

  void uses_in(CodeBlock& block, std::vector<IfItem*>& branches) {
    for (CodeItem& item : block) {
      if (const auto* let = std::get_if<Let>(&item.node)) {
        for (const ValueId operand : b_.body()[let->value].operands) use(operand, branches);
      } else if (const auto* store = std::get_if<StoreItem>(&item.node)) {
        use(store->element, branches);
        use(store->value, branches);
      } else if (const auto* add = std::get_if<AddItem>(&item.node)) {
        use(add->element, branches);
        use(add->value, branches);
        use(add->guard, branches);
      } else if (const auto* matrix = std::get_if<MatrixAddItem>(&item.node)) {
        use(matrix->row.element, branches);
        use(matrix->col.element, branches);
        use(matrix->value, branches);
        use(matrix->guard, branches);
      } else if (const auto* reduce = std::get_if<ReduceItem>(&item.node)) {
        use(reduce->value, branches);
      } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
        use(branch->condition, branches);
        branches.push_back(branch);
        uses_in(branch->body, branches);
        branches.pop_back();
      } else if (auto* loop = std::get_if<LoopItem>(&item.node)) {
        for (const Accumulator& a : loop->accumulators) use(a.addend, branches);
        uses_in(loop->body, branches);
      }
    }
  }

  BodyBuilder& b_;
  Scope& scope_;
  std::set<ValueId> active_;
  std::vector<Item> items_;
  std::map<ValueId, std::size_t> definition_;
  std::vector<std::size_t> topological_;
  std::map<ValueId, Atoms> need_;
  std::set<ValueId> disabled_;
  std::map<ValueId, ValueId> alias_;
  std::vector<Atoms> paths_;
  std::set<Atoms> branch_points_;
  std::vector<ValueId> results_;
  std::map<ValueId, std::vector<IfItem*>> place_;
};

}  // namespace

void order_body(BodyBuilder& builder) {
  ScopeOrder order(builder, builder.root(), {}, builder.results());
  builder.body().block = order.run();
  builder.resolve_results([&](ValueId value) { return order.resolved(value); });
}

}  // namespace thallo
