// The choices for each group in the published space, and which combinations of choices the space
// contains (published_space.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/explore/space/published_groups.h"
#include "core/explore/space/published_profile.h"
#include "core/search/schedule_index.h"

namespace thallo {

// How one group is scheduled.
struct PublishedChoice {
  Strategy strategy = Strategy::JtJp;
  std::vector<DomainId> order;  // the fastest domain first
  bool jtjp_at_output = false;
  bool jtf_at_output = false;

  friend bool operator==(const PublishedChoice&, const PublishedChoice&) = default;
};

// Whether stored products stay below the profile's memory limit. The published system checks the
// limit for the whole energy, no matter which products are finally stored.
struct PublishedLimits {
  bool fits_j = false;
  bool fits_jtj = false;
};
PublishedLimits published_limits(const std::vector<PublishedGroup>& groups, double num_unknowns,
                                 const PublishedProfile& profile, Precision precision);

// Lists the choices for a group in published order: sorted by strategy, then by loop order, then
// scattered before gathered, with JtJp before JtF. Loop orders are permuted from the back, and the
// declared order comes last: for (x, y, z) the list is yzx, zyx, zxy, xzy, yxz, xyz. Only the
// declared order allows gathering: of JtJp if nothing is stored, of JtF unless Jp is stored.
std::vector<PublishedChoice> published_choices(const PublishedGroup& group,
                                               const PublishedProfile& profile,
                                               const PublishedLimits& limits);

// All combinations of one choice for each group, with the last group's choice changing fastest,
// except those that
// - store JtJ for one group and J for another, or in another way: all groups that store either do
//   so by the same strategy
// - gather JtJp of several groups, or JtF of several groups, unless the choices of all groups are
//   equal: the published system merges what is scheduled equally
class PublishedCombinations {
 public:
  // `choices` has a list for each group; no list is empty.
  explicit PublishedCombinations(std::vector<std::vector<PublishedChoice>> choices);

  const BigCount& size() const { return size_; }
  // Returns, for each group, the position of its choice in the list; index < size().
  std::vector<std::size_t> at(BigCount index) const;
  // Returns nothing for a combination that is left out.
  std::optional<BigCount> index_of(std::span<const std::size_t> combination) const;

  const std::vector<std::vector<PublishedChoice>>& choices() const { return choices_; }

 private:
  // The constraints that the choices of the groups so far put on the groups that follow.
  struct State {
    std::optional<Strategy> stored;  // strategy of the groups that store J or JtJ
    bool gathers_jtjp = false;
    bool gathers_jtf = false;
  };
  static constexpr std::size_t NumStates = 4 * (AllStrategies.size() + 1);
  static std::size_t number_of(const State& state);
  static State state_of(std::size_t number);
  // Returns nothing if the choice is not allowed after this state.
  static std::optional<State> after(const State& state, const PublishedChoice& choice);

  // Returns the number of combinations that begin with `prefix`, which leads to `state`. Without a
  // state, the prefix is only allowed if all choices are equal.
  BigCount num_from(std::span<const std::size_t> prefix, const std::optional<State>& state) const;

  std::vector<std::vector<PublishedChoice>> choices_;
  // Indexed by group and state number: the number of ways to choose for this group and those after
  // it.
  std::vector<std::vector<BigCount>> completions_;
  // The combinations that gather several groups; all their choices are equal.
  std::vector<std::vector<std::size_t>> all_equal_;
  BigCount size_;
};

}  // namespace thallo
