#include "core/kernel/codegen/body_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/kernel/code.h"
#include "core/kernel/codegen/body_conditions.h"
#include "core/kernel/codegen/body_items.h"
#include "core/kernel/codegen/body_sequence.h"

namespace thallo {
namespace {

// Finds the values that are computed in a branch and used after it. They must be declared before
// the branch and are 0 where it is not taken.
class EscapeFinder {
 public:
  explicit EscapeFinder(const CodeBody& body) : body_(body) {}

  void run(CodeBlock& block, std::span<const ValueId> results) {
    locate(block, Root);
    if (place_.empty()) return;
    uses_in(block);
    for (const ValueId result : results) use(result);
  }

 private:
  static constexpr std::size_t Root = 0;
  struct Branch {
    IfItem* item = nullptr;
    std::size_t parent = Root, depth = 0;
  };

  // Where the values of branches are defined: the innermost branch around them.
  void locate(CodeBlock& block, std::size_t around) {
    for (CodeItem& item : block) {
      if (const auto* let = std::get_if<Let>(&item.node)) {
        if (around != Root) place_.emplace(let->value, around);
      } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
        branches_.push_back({branch, around, branches_[around].depth + 1});
        locate(branch->body, branches_.size() - 1);
      } else if (auto* loop = std::get_if<LoopItem>(&item.node)) {
        if (around == Root) continue;
        for (const Accumulator& a : loop->accumulators) place_.emplace(a.sum, around);
      }
    }
  }

  void use(ValueId value) {
    const auto defined = place_.find(value);
    if (defined == place_.end()) return;
    std::size_t user = branch_;
    for (std::size_t at = defined->second; at != Root; at = branches_[at].parent) {
      while (branches_[user].depth > branches_[at].depth) user = branches_[user].parent;
      if (user == at) return;
      auto& escapes = branches_[at].item->escapes;
      if (std::ranges::find(escapes, value) == escapes.end()) escapes.push_back(value);
    }
  }

  void uses_in(CodeBlock& block) {
    for (CodeItem& item : block) {
      if (const auto* let = std::get_if<Let>(&item.node)) {
        for (const ValueId operand : body_[let->value].operands) use(operand);
      } else if (const auto* store = std::get_if<StoreItem>(&item.node)) {
        use(store->element);
        use(store->value);
      } else if (const auto* add = std::get_if<AddItem>(&item.node)) {
        use(add->element);
        use(add->value);
        use(add->guard);
      } else if (const auto* matrix = std::get_if<MatrixAddItem>(&item.node)) {
        use(matrix->row.element);
        use(matrix->col.element);
        use(matrix->value);
        use(matrix->guard);
      } else if (const auto* reduce = std::get_if<ReduceItem>(&item.node)) {
        use(reduce->value);
      } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
        use(branch->condition);
        // Branches in loops are those of another scope.
        const std::size_t around = branch_;
        if (loops_ == 0) branch_ = ++last_;
        uses_in(branch->body);
        branch_ = around;
      } else if (auto* loop = std::get_if<LoopItem>(&item.node)) {
        for (const Accumulator& a : loop->accumulators) use(a.addend);
        use(loop->begin);
        use(loop->end);
        ++loops_;
        uses_in(loop->body);
        --loops_;
      }
    }
  }

  const CodeBody& body_;
  std::vector<Branch> branches_ = std::vector<Branch>(1);  // in the order of the text
  std::map<ValueId, std::size_t> place_;
  std::size_t branch_ = Root;  // that is read
  std::size_t last_ = Root;    // that was entered
  std::size_t loops_ = 0;      // around what is read
};

// Fills IfItem::escapes in `block`, a block of `body`. `results` are used after its last item.
void find_escapes(CodeBlock& block, const CodeBody& body, std::span<const ValueId> results) {
  EscapeFinder(body).run(block, results);
}

class ScopeOrder {
 public:
  // `active`: atoms known to hold around this scope. `results`: values used after its last
  // statement.
  ScopeOrder(BodyBuilder& builder, Scope& scope, std::set<ValueId> active,
             std::vector<ValueId> results)
      : b_(builder),
        items_(builder, scope),
        active_(std::move(active)),
        results_(std::move(results)) {}

  CodeBlock run() {
    find_conditions(items_, active_, results_);
    sequence_ = sequence_of(items_);
    CodeBlock block = nest();
    for (ValueId& result : results_) result = resolved(result);
    find_escapes(block, b_.body(), results_);
    return block;
  }

  // A selection that was replaced by its number goes by the number's name.
  ValueId resolved(ValueId value) const { return items_.resolved(value); }

 private:
  CodeBlock nest() {
    find_branch_points();
    CodeBlock root;
    std::vector<CodeBlock*> blocks = {&root};
    std::vector<std::size_t> depths = {0};  // atoms known in each open block
    Atoms open;
    for (const std::size_t i : sequence_.order) {
      check_stop();
      const Atoms& path = sequence_.paths[i];
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

  void find_branch_points() {
    std::set<Atoms> paths;
    for (const std::size_t i : sequence_.order) paths.insert(sequence_.paths[i]);
    const Atoms* before = nullptr;
    for (const Atoms& path : paths) {
      check_stop();
      branch_points_.insert(path);
      // What any two have in common, two neighbors in lexicographic order have.
      if (before != nullptr) {
        const auto [end, unused] = std::ranges::mismatch(path, *before);
        branch_points_.insert(Atoms(path.begin(), end));
      }
      before = &path;
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

  void emit(BodyItem& item, CodeBlock& block) {
    switch (item.kind) {
      case BodyItem::Kind::Value: {
        for (ValueId& operand : b_.body().values[item.value.index()].operands)
          operand = resolved(operand);
        block.push_back({Let{item.value}});
        break;
      }
      case BodyItem::Kind::Statement: {
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
      case BodyItem::Kind::Loop: {
        LoopItem loop{.domains = item.loop->domains,
                      .extents = item.loop->extents,
                      .begin = item.loop->begin,
                      .end = item.loop->end,
                      .coordinates = item.loop->coordinates};
        apply_aliases(*item.loop);
        std::set<ValueId> active = active_;
        active.insert(item.condition.begin(), item.condition.end());
        // The addends of the loop's sums are used at the end of its body.
        std::vector<ValueId> addends;
        for (const Accumulator& a : item.loop->accumulators) addends.push_back(a.addend);
        ScopeOrder inner(b_, *item.loop->body, std::move(active), std::move(addends));
        loop.body = inner.run();
        for (Accumulator a : item.loop->accumulators) {
          loop.accumulators.push_back({a.sum, inner.resolved(a.addend), a.op});
        }
        block.push_back({std::move(loop)});
      }
    }
  }

  // Values of this scope that are used inside a loop go by their resolved names there.
  void apply_aliases(ScopeLoop& loop) {
    if (!items_.has_replacements()) return;
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

  BodyBuilder& b_;
  BodyItems items_;
  std::set<ValueId> active_;
  std::vector<ValueId> results_;
  BodySequence sequence_;
  std::set<Atoms> branch_points_;
};

// Counts what branches guard and what they hand on.
class BranchCounter {
 public:
  explicit BranchCounter(const CodeBody& body) : body_(body) { count(body.block, false); }

  std::size_t work = 0;
  std::size_t branches = 0;
  std::size_t escapes = 0;

 private:
  void count(const CodeBlock& block, bool is_guarded) {
    for (const CodeItem& item : block) {
      if (const auto* branch = std::get_if<IfItem>(&item.node)) {
        ++branches;
        escapes += branch->escapes.size();
        count(branch->body, true);
      } else if (const auto* loop = std::get_if<LoopItem>(&item.node)) {
        count(loop->body, is_guarded);
      } else if (const auto* let = std::get_if<Let>(&item.node); is_guarded && let != nullptr) {
        work += static_cast<std::size_t>(cost_of(body_[let->value]));
      } else if (is_guarded) {
        work += branch_threshold;  // what a statement does to memory
      }
    }
  }

  const CodeBody& body_;
};

}  // namespace

bool branches_pay(const CodeBody& body) {
  constexpr std::size_t Work = 4;  // that each branch and each value must save, as much as a load
  const BranchCounter counter(body);
  return counter.work >= Work * (counter.branches + counter.escapes);
}

void order_body(BodyBuilder& builder) {
  ScopeOrder order(builder, builder.root(), {}, builder.results());
  builder.body().block = order.run();
  builder.resolve_results([&](ValueId value) { return order.resolved(value); });
}

}  // namespace thallo
