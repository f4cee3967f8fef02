#include "core/kernel/codegen/expression_passes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/stop_scope.h"
#include "core/kernel/codegen/kernel_expressions.h"

namespace thallo {
namespace {

// Pairs that are looked at while one kernel is generated. Sums of hundreds of terms that share most
// of them, as those of a recursion e = sin(e) + e, have so many pairs that finding all common parts
// takes minutes. The texts of kernels stay the same on every machine, which no limit in seconds
// would do.
constexpr std::int64_t MostPairs = 300'000;

// One round of the pass, for one operation: products or sums.
class PartialSharing {
 public:
  PartialSharing(ExprGraph& graph, Op op, std::span<const ExprId> roots) : g_(graph), op_(op) {
    std::vector<ExprId> nodes = g_.reachable(roots);
    std::erase_if(nodes, [this](ExprId id) { return g_[id].op != op_; });
    // By content, so that ties are not broken by the order in which the graph was built.
    std::ranges::sort(nodes, [this](ExprId a, ExprId b) { return g_.hash(a) < g_.hash(b); });
    for (const ExprId id : nodes) {
      for (const ExprId operand : g_.operands(id)) ++num_nodes_with_[operand];
    }
    for (const ExprId id : nodes) {
      std::vector<int> shared;
      for (const ExprId operand : g_.operands(id)) {
        if (is_shareable(operand)) shared.push_back(item(operand));
      }
      std::ranges::sort(shared);
      users_.push_back({id, std::move(shared)});
    }
    extract();
  }

  std::vector<ExprId> rewrite(std::span<const ExprId> roots) {
    for (std::size_t u = 0; u < users_.size(); ++u) user_of_[users_[u].node] = u;
    std::vector<ExprId> result;
    for (const ExprId id : g_.reachable(roots)) memo_.emplace(id, rebuilt(id));
    for (const ExprId root : roots) result.push_back(memo_.at(root));
    return result;
  }

 private:
  struct User {
    ExprId node;
    std::vector<int> items;  // ascending
  };
  using Pair = std::pair<int, int>;

  // Constants cost nothing to repeat and boolean factors become conditions. What one node alone has
  // is in no common part; a long sum has very many pairs of such operands.
  bool is_shareable(ExprId operand) const {
    return !g_.is_constant(operand) && !g_.is_boolean(operand) && num_nodes_with_.at(operand) > 1;
  }

  // Items are operands in order of first appearance, then the temporaries.
  int item(ExprId operand) {
    const auto [it, inserted] = item_ids_.try_emplace(operand, static_cast<int>(item_ids_.size()));
    if (inserted) item_nodes_.push_back(operand);
    return it->second;
  }

  void count(std::size_t user, bool add) {
    const std::vector<int>& items = users_[user].items;
    num_pairs_ += num_pairs_of(items);
    for (std::size_t i = 0; i < items.size(); ++i) {
      check_stop();
      for (std::size_t j = i + 1; j < items.size(); ++j) {
        const Pair pair{items[i], items[j]};
        auto& with = pairs_[pair];
        if (with.size() >= 2) ranked_.erase({-static_cast<int>(with.size()), pair});
        if (add) {
          with.insert(user);
        } else {
          with.erase(user);
        }
        if (with.size() >= 2) ranked_.insert({-static_cast<int>(with.size()), pair});
      }
    }
  }

  static std::int64_t num_pairs_of(const std::vector<int>& items) {
    const auto size = static_cast<std::int64_t>(items.size());
    return size * (size - 1) / 2;
  }

  void extract() {
    std::int64_t num_pairs = 0;
    for (const User& user : users_) num_pairs += num_pairs_of(user.items);
    if (num_pairs > MostPairs) return;
    for (std::size_t u = 0; u < users_.size(); ++u) count(u, true);
    while (!ranked_.empty() && num_pairs_ <= MostPairs) {
      const std::set<std::size_t> with = pairs_[ranked_.begin()->second];
      std::vector<int> common = users_[*with.begin()].items;
      for (const std::size_t u : with) {
        std::vector<int> both;
        std::ranges::set_intersection(common, users_[u].items, std::back_inserter(both));
        common = std::move(both);
      }
      const int temporary = static_cast<int>(item_nodes_.size());
      item_nodes_.emplace_back();
      temporaries_[temporary] = common;
      for (const std::size_t u : with) {
        count(u, false);
        std::vector<int> rest;
        std::ranges::set_difference(users_[u].items, common, std::back_inserter(rest));
        rest.push_back(temporary);  // the largest number: still ascending
        users_[u].items = std::move(rest);
        count(u, true);
      }
    }
  }

  ExprId expression(int item_id) {
    const auto temporary = temporaries_.find(item_id);
    if (temporary == temporaries_.end())
      return memo_.at(item_nodes_[static_cast<std::size_t>(item_id)]);
    const auto known = temporary_nodes_.find(item_id);
    if (known != temporary_nodes_.end()) return known->second;
    std::vector<ExprId> operands;
    for (const int inner : temporary->second) operands.push_back(expression(inner));
    const ExprId node = g_.unary(Op::Identity, g_.apply(op_, operands));
    temporary_nodes_.emplace(item_id, node);
    return node;
  }

  ExprId rebuilt(ExprId id) {
    std::vector<ExprId> operands = g_.operands(id);
    if (operands.empty()) return id;
    const auto user = user_of_.find(id);
    if (user == user_of_.end()) {
      for (ExprId& operand : operands) operand = memo_.at(operand);
      return g_.with_operands(id, operands);
    }
    std::vector<ExprId> result;
    for (const ExprId operand : operands) {
      if (!is_shareable(operand)) result.push_back(memo_.at(operand));
    }
    for (const int item_id : users_[user->second].items) result.push_back(expression(item_id));
    return g_.apply(op_, result);
  }

  ExprGraph& g_;
  Op op_;
  std::unordered_map<ExprId, int> num_nodes_with_;  // as an operand
  std::vector<User> users_;
  std::unordered_map<ExprId, std::size_t> user_of_;
  std::unordered_map<ExprId, int> item_ids_;
  std::vector<ExprId> item_nodes_;
  std::map<Pair, std::set<std::size_t>> pairs_;
  std::int64_t num_pairs_ = 0;             // that count() has looked at
  std::set<std::pair<int, Pair>> ranked_;  // by descending use count
  std::map<int, std::vector<int>> temporaries_;
  std::map<int, ExprId> temporary_nodes_;
  std::unordered_map<ExprId, ExprId> memo_;
};

}  // namespace

void share_partials(ExprGraph& graph, Kernel& kernel) {
  for (const Op op : {Op::Mul, Op::Add}) {
    rewrite_expressions(kernel, [&](std::span<const ExprId> roots) {
      return PartialSharing(graph, op, roots).rewrite(roots);
    });
  }
}

}  // namespace thallo
