#include "core/kernel/codegen/body_sequence.h"

#include <algorithm>
#include <limits>
#include <tuple>

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

template <class Ready>
Atoms next_path(const Ready& ready, const Atoms& current) {
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

}  // namespace

BodySequence sequence_of(const BodyItems& items) {
  BodySequence sequence{.order = {}, .paths = make_paths(items)};
  std::vector<std::set<std::size_t>> users(items.size());
  std::vector<std::size_t> waiting(items.size(), 0);
  const auto depends = [&](std::size_t user, std::size_t on) {
    if (user != on && items[on].live && users[on].insert(user).second) ++waiting[user];
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_stop();
    if (!items[i].live) continue;
    const auto depends_on_value = [&](ValueId value) {
      if (const auto definition = items.find(value)) depends(i, *definition);
    };
    for (const ValueId use : items[i].uses) depends_on_value(use);
    for (const ValueId atom : items[i].condition) depends_on_value(items.resolved(atom));
    if (!items[i].store.valid()) continue;
    for (std::size_t j = 0; j < items.size();
         ++j) {  // statements see the kernel's input: loads before stores
      if (std::ranges::find(items[j].loads, items[i].store) != items[j].loads.end()) depends(i, j);
    }
  }
  // The items that are ready, by path. The branch that is open is finished before another is
  // opened.
  const std::vector<std::size_t> order = position_in_topological_order(items);
  std::map<Atoms, std::set<std::pair<std::size_t, std::size_t>>> ready;
  std::size_t remaining = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].live) continue;
    ++remaining;
    if (waiting[i] == 0) ready[sequence.paths[i]].insert({order[i], i});
  }
  Atoms current;
  while (remaining > 0) {
    check_stop();
    THALLO_ASSERT(!ready.empty(), "a cycle in a kernel body");
    if (!ready.contains(current)) current = next_path(ready, current);
    auto& here = ready.at(current);
    const std::size_t i = here.begin()->second;
    here.erase(here.begin());
    if (here.empty()) ready.erase(current);
    sequence.order.push_back(i);
    --remaining;
    for (const std::size_t user : users[i]) {
      if (--waiting[user] == 0) ready[sequence.paths[user]].insert({order[user], user});
    }
  }
  return sequence;
}

}  // namespace thallo
