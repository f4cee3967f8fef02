#include "core/kernel/codegen/body_sequence.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/stop_scope.h"

namespace thallo {
namespace {

// Orders the atoms of each condition as a path of branches: the atom that guards the most work is
// the outermost branch.
std::vector<Atoms> make_paths(const BodyItems& items) {
  std::map<ValueId, int> weight;
  for (const BodyItem& item : items) {
    if (!item.live) continue;
    for (const ValueId atom : item.condition) weight[atom] += 1 + cost_of(items.builder(), item);
  }
  std::vector<Atoms> paths;
  for (const BodyItem& item : items) {
    check_stop();
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

std::vector<std::size_t> position_in_topological_order(const BodyItems& items) {
  std::vector<std::size_t> order(items.size(), std::numeric_limits<std::size_t>::max());
  for (std::size_t k = 0; k < items.topological().size(); ++k) order[items.topological()[k]] = k;
  return order;
}

// The items that are ready, by path, in the tree of all paths. A node knows the paths below it that
// have items, so that the next path is found in as many steps as the paths are long.
class ReadyItems {
 public:
  ReadyItems(const std::vector<Atoms>& paths, std::vector<std::size_t> order)
      : order_(std::move(order)) {
    for (const Atoms& path : paths) {
      std::size_t node = Root;
      for (const ValueId atom : path) {
        check_stop();
        const auto [child, is_new] = nodes_[node].children.try_emplace(atom, nodes_.size());
        const std::size_t parent = std::exchange(node, child->second);
        if (is_new) nodes_.push_back({.parent = parent, .depth = nodes_[parent].depth + 1});
      }
      node_of_.push_back(node);
    }
  }

  void add(std::size_t item) {
    change(node_of_[item], [&](Node& node) { node.items.emplace(order_[item], item); });
  }

  // The earliest item of the path that is open; of another when it has none: of those that have
  // most in common with it the shallowest, of these the one whose item is the earliest.
  std::size_t take() {
    std::size_t node = open_;
    while (node != Root && nodes_[node].below.empty()) node = nodes_[node].parent;
    THALLO_ASSERT(!nodes_[node].below.empty(), "a cycle in a kernel body");
    open_ = std::get<2>(*nodes_[node].below.begin());
    const std::size_t item = nodes_[open_].items.begin()->second;
    change(open_, [](Node& from) { from.items.erase(from.items.begin()); });
    return item;
  }

 private:
  static constexpr std::size_t Root = 0;
  struct Node {
    std::size_t parent = Root;
    std::size_t depth = 0;
    std::map<ValueId, std::size_t> children;
    std::set<std::pair<std::size_t, std::size_t>> items;  // place in topological order, item
    // Itself and the nodes below it that have items: depth, place of the first item, node.
    std::set<std::tuple<std::size_t, std::size_t, std::size_t>> below;
  };

  template <class Edit>
  void change(std::size_t at, Edit edit) {
    const auto key = [&]() -> std::optional<std::tuple<std::size_t, std::size_t, std::size_t>> {
      if (nodes_[at].items.empty()) return {};
      return std::tuple(nodes_[at].depth, nodes_[at].items.begin()->first, at);
    };
    const auto before = key();
    edit(nodes_[at]);
    const auto after = key();
    if (before == after) return;
    for (std::size_t node = at;; node = nodes_[node].parent) {
      check_stop();
      if (before) nodes_[node].below.erase(*before);
      if (after) nodes_[node].below.insert(*after);
      if (node == Root) return;
    }
  }

  std::vector<std::size_t> order_;    // by item
  std::vector<std::size_t> node_of_;  // by item
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::size_t open_ = Root;
};

}  // namespace

BodySequence sequence_of(const BodyItems& items) {
  BodySequence sequence{.paths = make_paths(items)};
  std::vector<std::vector<std::size_t>> users(items.size());  // each item's in ascending order
  std::vector<std::size_t> waiting(items.size(), 0);
  const auto depends = [&](std::size_t user, std::size_t on) {
    if (user == on || !items[on].live) return;
    if (!users[on].empty() && users[on].back() == user) return;
    users[on].push_back(user);
    ++waiting[user];
  };
  std::map<FieldId, std::vector<std::size_t>> loading;  // by field: the items that read it
  for (std::size_t i = 0; i < items.size(); ++i)
    for (const FieldId field : items[i].loads) loading[field].push_back(i);
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_stop();
    if (!items[i].live) continue;
    const auto depends_on_value = [&](ValueId value) {
      if (const auto definition = items.find(value)) depends(i, *definition);
    };
    for (const ValueId use : items[i].uses) depends_on_value(use);
    for (const ValueId atom : items[i].condition) depends_on_value(items.resolved(atom));
    if (!items[i].store.valid()) continue;
    // Statements see the kernel's input: loads before stores.
    if (const auto found = loading.find(items[i].store); found != loading.end())
      for (const std::size_t load : found->second) depends(i, load);
  }
  // The branch that is open is finished before another is opened.
  ReadyItems ready(sequence.paths, position_in_topological_order(items));
  std::size_t remaining = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].live) continue;
    ++remaining;
    if (waiting[i] == 0) ready.add(i);
  }
  for (; remaining > 0; --remaining) {
    const std::size_t i = ready.take();
    sequence.order.push_back(i);
    for (const std::size_t user : users[i])
      if (--waiting[user] == 0) ready.add(user);
  }
  return sequence;
}

}  // namespace thallo
