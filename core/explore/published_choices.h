// The choices of each group in the published space and which combinations of them it has
// (published_space.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/explore/published_groups.h"
#include "core/explore/published_profile.h"
#include "core/explore/schedule_index.h"

namespace thallo {

// How one group is scheduled.
struct PublishedChoice {
  Strategy strategy = Strategy::JtJp;
  std::vector<DomainId> order;  // the fastest first
  bool jtjp_at_output = false;
  bool jtf_at_output = false;

  friend bool operator==(const PublishedChoice&, const PublishedChoice&) = default;
};

// Whether the stored products stay below the profile's memory limit. The published system asks this
// of the whole energy, whatever is stored of it in the end.
struct PublishedLimits {
  bool fits_j = false;
  bool fits_jtj = false;
};
PublishedLimits published_limits(const std::vector<PublishedGroup>& groups, double num_unknowns,
                                 const PublishedProfile& profile, Precision precision);

// The choices of a group in published order: by strategy, then by order of the loops, then
// scattered before gathered, JtJp before JtF. Orders are permuted from the back, the declared one
// last: for (x, y, z) those of yzx, zyx, zxy, xzy, yxz, xyz. Only under the declared order is
// anything gathered: JtJp if nothing is stored, JtF unless Jp is.
std::vector<PublishedChoice> published_choices(const PublishedGroup& group,
                                               const PublishedProfile& profile,
                                               const PublishedLimits& limits);

// All ways to choose for each group, the last group's choice changing fastest, without those that
// - store JtJ for one group and J for another, or in another way: all groups that store either do
//   so by the same strategy
// - gather JtJp of several groups, or JtF of several groups, unless the choices of all groups are
//   equal: the published system merges what is scheduled equally
class PublishedCombinations {
 public:
  // A list of choices for each group, none of which is empty.
  explicit PublishedCombinations(std::vector<std::vector<PublishedChoice>> choices);

  const BigCount& size() const { return size_; }
  // For each group the position among its choices; index < size().
  std::vector<std::size_t> at(BigCount index) const;
  // Nothing for a combination that is left out.
  std::optional<BigCount> index_of(std::span<const std::size_t> combination) const;

  const std::vector<std::vector<PublishedChoice>>& choices() const { return choices_; }

 private:
  // What the choices of the groups so far leave to those that follow.
  struct State {
    std::optional<Strategy> stored;  // the strategy of those that store J or JtJ
    bool gathers_jtjp = false;
    bool gathers_jtf = false;
  };
  static constexpr std::size_t NumStates = 4 * (AllStrategies.size() + 1);
  static std::size_t number_of(const State& state);
  static State state_of(std::size_t number);
  // Nothing when the choice cannot follow.
  static std::optional<State> after(const State& state, const PublishedChoice& choice);

  // Of the combinations that begin with `prefix`, which leads to `state` (none: it is left out
  // unless all are equal).
  BigCount num_from(std::span<const std::size_t> prefix, const std::optional<State>& state) const;

  std::vector<std::vector<PublishedChoice>> choices_;
  // By group and number of a state: the ways to choose for this group and those that follow.
  std::vector<std::vector<BigCount>> completions_;
  // Those that gather several groups, whose choices are all equal.
  std::vector<std::vector<std::size_t>> all_equal_;
  BigCount size_;
};

}  // namespace thallo
