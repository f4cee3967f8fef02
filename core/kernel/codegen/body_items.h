// The items of one scope that are to be put in order: its values, statements and inner loops, each
// with the values it uses. Private to code generation.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/kernel/codegen/body_builder.h"

namespace thallo {

using Atoms = std::vector<ValueId>;  // booleans that hold together; ascending once sorted

// A union and an intersection of sorted atoms.
Atoms unite(const Atoms& a, const Atoms& b);
Atoms intersect(const Atoms& a, const Atoms& b);

struct BodyItem {
  enum class Kind { Value, Statement, Loop };
  Kind kind = Kind::Value;
  ValueId value;
  ScopeStatement* statement = nullptr;
  ScopeLoop* loop = nullptr;
  std::vector<ValueId> uses;
  Atoms condition;  // the item is needed only where all of them hold
  bool live = false;
  std::vector<FieldId> loads;  // fields it reads
  FieldId store;               // field it overwrites
};

// Work of a value or an item, about one per arithmetic operation.
int cost_of(const Instruction& value);
int cost_of(const BodyBuilder& builder, const BodyItem& item);
inline constexpr int branch_threshold = 8;  // work below this is cheaper computed than skipped

class BodyItems {
 public:
  BodyItems(BodyBuilder& builder, Scope& scope);

  BodyBuilder& builder() { return b_; }
  const BodyBuilder& builder() const { return b_; }

  std::size_t size() const { return items_.size(); }
  BodyItem& operator[](std::size_t i) { return items_[i]; }
  const BodyItem& operator[](std::size_t i) const { return items_[i]; }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  // The item that computes a value; absent when none of this scope does.
  std::optional<std::size_t> find(ValueId value) const;
  // Positions of the items, operands before users. Items added later are not among them.
  const std::vector<std::size_t>& topological() const { return topological_; }

  // A new value of the body: all atoms hold. It is live under `condition`.
  ValueId add_conjunction(const Atoms& atoms, const Atoms& condition);

  // A value that was replaced by another goes by the other's name.
  void replace(ValueId value, ValueId by) { alias_[value] = by; }
  ValueId resolved(ValueId value) const;
  bool has_replacements() const { return !alias_.empty(); }

 private:
  void add(BodyItem item, const std::vector<ValueId>& defines);
  void make_items(Scope& scope);
  std::vector<ValueId> value_uses(ValueId value) const;
  void collect_loop_uses(const ScopeLoop& loop, std::set<ValueId>& uses,
                         std::set<FieldId>& loads) const;
  Atoms hoist_conditions(ScopeLoop& loop) const;
  void sort_topologically();

  BodyBuilder& b_;
  std::vector<BodyItem> items_;
  std::vector<std::pair<ValueId, std::size_t>> definitions_;  // in ascending order
  std::vector<std::size_t> topological_;
  std::map<ValueId, ValueId> alias_;
};

}  // namespace thallo
