#include "core/explore/space/published_choices.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace thallo {
namespace {

// Appends the permutations of `order`, and leaves `order` as it was: puts each element at the back
// in turn and permutes the others.
void permute(std::vector<DomainId>& order, std::size_t count,
             std::vector<std::vector<DomainId>>& permutations) {
  if (count == 0) return permutations.push_back(order);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[count - 1], order[i]);
    permute(order, count - 1, permutations);
    std::swap(order[count - 1], order[i]);
  }
}

bool stores_matrix(Strategy strategy) { return stores_j(strategy) || stores_jtj(strategy); }

bool gathers(const PublishedChoice& choice) {
  return choice.jtjp_at_output || choice.jtf_at_output;
}

}  // namespace

PublishedLimits published_limits(const std::vector<PublishedGroup>& groups, double num_unknowns,
                                 const PublishedProfile& profile, Precision precision) {
  const double bytes_per_value = precision == Precision::Double ? 8 : 4;
  const auto limit = static_cast<double>(profile.memory_limit);
  double num_entries = 0;
  for (const PublishedGroup& group : groups) num_entries += group.num_entries();
  // J is sparse: an entry is a value and 8 bytes of positions. The published system demands 20
  // times that memory, which leaves room for what is made from J. JtJ is dense.
  return {.fits_j = 20 * (bytes_per_value + 8) * num_entries < limit,
          .fits_jtj = num_unknowns * num_unknowns * bytes_per_value < limit};
}

std::vector<PublishedChoice> published_choices(const PublishedGroup& group,
                                               const PublishedProfile& profile,
                                               const PublishedLimits& limits) {
  std::vector<std::vector<DomainId>> orders;
  std::vector<DomainId> domains = group.domains;
  permute(domains, domains.size(), orders);
  std::vector<PublishedChoice> choices;
  for (const Strategy strategy : group.has_sum ? profile.strategies_with_sum : profile.strategies) {
    if (stores_j(strategy) && !limits.fits_j) continue;
    if (stores_jtj(strategy) && !limits.fits_jtj) continue;
    for (const std::vector<DomainId>& order : orders) {
      const bool can_gather = group.can_gather && order == group.domains;
      for (const bool jtjp : {false, true}) {
        if (jtjp && (!can_gather || strategy != Strategy::JtJp)) continue;
        for (const bool jtf : {false, true}) {
          if (jtf && (!can_gather || strategy == Strategy::StoredJp)) continue;
          choices.push_back({strategy, order, jtjp, jtf});
        }
      }
    }
  }
  return choices;
}

PublishedCombinations::PublishedCombinations(std::vector<std::vector<PublishedChoice>> choices)
    : choices_(std::move(choices)) {
  completions_.assign(choices_.size() + 1, std::vector<BigCount>(NumStates, 0));
  std::ranges::fill(completions_.back(), 1);
  for (std::size_t g = choices_.size(); g-- > 0;) {
    for (std::size_t number = 0; number < NumStates; ++number) {
      for (const PublishedChoice& choice : choices_[g]) {
        if (const auto next = after(state_of(number), choice))
          completions_[g][number] += completions_[g + 1][number_of(*next)];
      }
    }
  }
  for (const PublishedChoice& choice : choices_.front()) {
    if (!gathers(choice) || choices_.size() == 1) continue;
    std::vector<std::size_t> equal;
    for (const std::vector<PublishedChoice>& of_group : choices_) {
      const auto found = std::ranges::find(of_group, choice);
      if (found != of_group.end())
        equal.push_back(static_cast<std::size_t>(found - of_group.begin()));
    }
    if (equal.size() == choices_.size()) all_equal_.push_back(std::move(equal));
  }
  size_ = num_from({}, State());
}

std::size_t PublishedCombinations::number_of(const State& state) {
  const std::size_t stored = state.stored ? static_cast<std::size_t>(*state.stored) + 1 : 0;
  return 4 * stored + (state.gathers_jtjp ? 2 : 0) + (state.gathers_jtf ? 1 : 0);
}

PublishedCombinations::State PublishedCombinations::state_of(std::size_t number) {
  State state{.gathers_jtjp = number % 4 >= 2, .gathers_jtf = number % 2 == 1};
  if (number >= 4) state.stored = static_cast<Strategy>(number / 4 - 1);
  return state;
}

std::optional<PublishedCombinations::State> PublishedCombinations::after(
    const State& state, const PublishedChoice& choice) {
  State next = state;
  if (stores_matrix(choice.strategy)) {
    if (state.stored && *state.stored != choice.strategy) return std::nullopt;
    next.stored = choice.strategy;
  }
  if (state.gathers_jtjp && choice.jtjp_at_output) return std::nullopt;
  if (state.gathers_jtf && choice.jtf_at_output) return std::nullopt;
  next.gathers_jtjp |= choice.jtjp_at_output;
  next.gathers_jtf |= choice.jtf_at_output;
  return next;
}

BigCount PublishedCombinations::num_from(std::span<const std::size_t> prefix,
                                         const std::optional<State>& state) const {
  const auto begins_so = [&](const std::vector<std::size_t>& combination) {
    return std::ranges::equal(prefix, std::span(combination).first(prefix.size()));
  };
  BigCount count = std::ranges::count_if(all_equal_, begins_so);
  if (state) count += completions_[prefix.size()][number_of(*state)];
  return count;
}

std::vector<std::size_t> PublishedCombinations::at(BigCount index) const {
  THALLO_ASSERT(index >= 0 && index < size_, "combination {} of {}", index.str(), size_.str());
  std::vector<std::size_t> combination;
  std::optional<State> state = State();
  for (const std::vector<PublishedChoice>& choices : choices_) {
    combination.push_back(0);
    for (;; ++combination.back()) {
      const auto next = state ? after(*state, choices[combination.back()]) : std::optional<State>();
      const BigCount count = num_from(combination, next);
      if (index < count) {
        state = next;
        break;
      }
      index -= count;
    }
  }
  return combination;
}

std::optional<BigCount> PublishedCombinations::index_of(
    std::span<const std::size_t> combination) const {
  BigCount index = 0;
  std::optional<State> state = State();
  std::vector<std::size_t> prefix;
  for (std::size_t g = 0; g < choices_.size(); ++g) {
    std::optional<State> own;
    prefix.push_back(0);
    for (;; ++prefix.back()) {
      own = state ? after(*state, choices_[g][prefix.back()]) : std::optional<State>();
      if (prefix.back() == combination[g]) break;
      index += num_from(prefix, own);
    }
    state = own;
  }
  if (num_from(combination, state) == 0) return std::nullopt;
  return index;
}

}  // namespace thallo
