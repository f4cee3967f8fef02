#include "plugins/split_merge/move.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/schedule/plan_names.h"
#include "plugins/split_merge/statements.h"

namespace thallo {

std::string names_of(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  std::vector<std::string> names;
  for (const ResidualRef residual : residuals) names.push_back(residual_name(energy, residual));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t position_of(const Plan& plan, ResidualRef residual) {
  return static_cast<std::size_t>(&part_of(plan, residual) - plan.parts.data());
}

Move move_of(const Plan& plan, ResidualRef residual, std::size_t from,
             std::optional<std::size_t> to) {
  Move move{.from = from, .to = to};
  for (const ResidualRef other : plan.parts[from].residuals) {
    const bool moves = other.group == residual.group && other >= residual;
    (moves ? move.joined : move.left).push_back(other);
  }
  if (to) {
    const std::vector<ResidualRef>& there =
        to == from ? std::exchange(move.left, {}) : plan.parts[*to].residuals;
    move.joined.insert(move.joined.end(), there.begin(), there.end());
    std::ranges::sort(move.joined);
  }
  return move;
}

MoveCheck::MoveCheck(const Energy& energy, const Plan& plan) : energy_(energy), plan_(plan) {
  for (std::size_t p = 0; p < plan.parts.size(); ++p) parts_.emplace(plan.parts[p].name, p);
}

Expected<void> MoveCheck::check(ResidualRef residual, std::size_t from,
                                std::optional<std::size_t> to) const {
  if (to) {
    const ResidualRef target = plan_.parts[*to].residuals.front();
    if (dims_of(energy_, target.group) != dims_of(energy_, residual.group))
      return fail("{}", other_dims(energy_, residual, target));
  }
  const Move move = move_of(plan_, residual, from, to);
  std::map<std::string, const std::vector<ResidualRef>*> changed;
  for (const auto* residuals : {&move.left, &move.joined}) {
    if (residuals->empty()) continue;
    const std::string name = part_name(energy_, *residuals);
    if (const auto same = changed.find(name); same != changed.end())
      return same_name(name, *residuals, *same->second);
    const auto known = parts_.find(name);
    if (known != parts_.end() && known->second != from && known->second != to)
      return same_name(name, *residuals, plan_.parts[known->second].residuals);
    changed.emplace(name, residuals);
  }
  return {};
}

tl::unexpected<Diagnostic> MoveCheck::same_name(const std::string& name,
                                                const std::vector<ResidualRef>& one,
                                                const std::vector<ResidualRef>& other) const {
  const auto& [first, second] = std::minmax(one, other);
  return fail("two parts would be called r.{}, that of {} and that of {}", name,
              names_of(energy_, first), names_of(energy_, second));
}

}  // namespace thallo
