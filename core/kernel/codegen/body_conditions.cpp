#include "core/kernel/codegen/body_conditions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/base/stop_scope.h"

namespace thallo {
namespace {

class ConditionFinder {
 public:
  ConditionFinder(BodyItems& items, const std::set<ValueId>& active,
                  std::span<const ValueId> results)
      : b_(items.builder()), items_(items), active_(active), results_(results) {}

  void run() {
    analyze();
    if (b_.bounds_pass()) {
      disable_small_masks();
      analyze();
    }
    resolve_masks();
    place_guards();
    drop_unused();
  }

 private:
  void require(ValueId value, const Atoms& condition) {
    const auto definition = items_.find(value);
    if (!definition) return;
    auto& need = need_[*definition];
    need = need ? intersect(*need, condition) : condition;
  }

  bool is_enabled(ValueId mask) const { return b_.bounds_pass() && !disabled_.contains(mask); }

  void analyze() {
    need_.assign(items_.size(), {});
    for (const ValueId result : results_) require(result, {});
    for (auto it = items_.topological().rbegin(); it != items_.topological().rend(); ++it) {
      check_stop();
      BodyItem& item = items_[*it];
      const bool defines_values =
          item.kind == BodyItem::Kind::Value ||
          (item.kind == BodyItem::Kind::Loop && !item.loop->accumulators.empty());
      if (defines_values) {
        item.live = need_[*it].has_value();
        item.condition = need_[*it].value_or(Atoms());
      }
      if (!item.live) continue;
      std::ranges::sort(item.condition);
      for (const ValueId atom : item.condition) require(atom, {});
      const BodyBuilder::Mask* mask =
          item.kind == BodyItem::Kind::Value ? b_.find_mask(item.value) : nullptr;
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

  // Booleans that conditions are made of are computed unconditionally, so that branches can be
  // nested in any order.
  bool is_atom(const BodyItem& item, ValueId use) const {
    if (item.kind == BodyItem::Kind::Statement)
      return std::ranges::find(item.statement->atoms, use) != item.statement->atoms.end();
    if (item.kind == BodyItem::Kind::Loop) return false;
    const auto has = [&](const Atoms& atoms) {
      return std::ranges::find(atoms, use) != atoms.end();
    };
    const BodyBuilder::Mask* mask = b_.find_mask(item.value);
    return has(b_.guard_atoms(item.value)) || (mask != nullptr && has(mask->atoms));
  }

  void disable_small_masks() {
    std::map<Atoms, int> work;
    for (const BodyItem& item : items_) {
      if (item.live) work[item.condition] += cost_of(b_, item);
    }
    for (const BodyItem& item : items_) {
      if (!item.live || item.kind != BodyItem::Kind::Value) continue;
      const BodyBuilder::Mask* mask = b_.find_mask(item.value);
      if (mask == nullptr) continue;
      check_stop();
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
    for (const std::size_t i : items_.topological()) {
      BodyItem& item = items_[i];
      if (item.live && item.kind == BodyItem::Kind::Value) {
        const BodyBuilder::Mask* mask = b_.find_mask(item.value);
        const auto product = mask == nullptr ? std::nullopt : items_.find(mask->product);
        if (product && is_enabled(item.value)) {
          Atoms atoms = mask->atoms;
          std::ranges::sort(atoms);
          if (items_[*product].condition == unite(item.condition, atoms)) {
            items_.replace(item.value, mask->product);
            item.live = false;
          }
        }
      }
    }
    for (BodyItem& item : items_) {
      for (ValueId& use : item.uses) use = items_.resolved(use);
    }
  }

  // Values that only replaced selections and dropped guards used are not computed. Needs are
  // followed from the statements, not in topological order: that order knows uses only, and an atom
  // may come after the items whose condition it is.
  void drop_unused() {
    std::vector<bool> needed(items_.size());
    std::vector<std::size_t> to_visit;
    const auto need = [&](std::size_t i) {
      if (!items_[i].live || needed[i]) return;
      needed[i] = true;
      to_visit.push_back(i);
    };
    const auto need_value = [&](ValueId value) {
      if (const auto definition = items_.find(items_.resolved(value))) need(*definition);
    };
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind != BodyItem::Kind::Value) need(i);
    for (const ValueId result : results_) need_value(result);
    while (!to_visit.empty()) {
      const BodyItem& item = items_[to_visit.back()];
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
      check_stop();
      if (!items_[i].live || items_[i].kind != BodyItem::Kind::Value) continue;
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
          guard.size() == 1 ? guard.front() : items_.add_conjunction(guard, items_[i].condition);
      b_.body().values[value.index()].operands.push_back(test);
      items_[i].uses.push_back(test);
    }
    if (b_.bounds_pass()) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (items_[i].kind != BodyItem::Kind::Statement || items_[i].statement->atoms.empty())
        continue;
      const Atoms& atoms = items_[i].statement->atoms;
      const ValueId test = atoms.size() == 1 ? atoms.front() : items_.add_conjunction(atoms, {});
      if (auto* add = std::get_if<AddItem>(&items_[i].statement->node)) add->guard = test;
      if (auto* matrix = std::get_if<MatrixAddItem>(&items_[i].statement->node))
        matrix->guard = test;
      items_[i].uses.push_back(test);
    }
  }

  BodyBuilder& b_;
  BodyItems& items_;
  const std::set<ValueId>& active_;
  std::span<const ValueId> results_;
  // By item: the intersection of the conditions of the uses of its values; none without uses.
  std::vector<std::optional<Atoms>> need_;
  std::set<ValueId> disabled_;
};

}  // namespace

void find_conditions(BodyItems& items, const std::set<ValueId>& active,
                     std::span<const ValueId> results) {
  ConditionFinder(items, active, results).run();
}

}  // namespace thallo
