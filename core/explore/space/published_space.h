// Represents the space of schedules that the published system enumerates in terms of our schedules,
// so that the published counts and measurements can be reproduced.
//
// The decisions are, for each group of residuals (published_groups.h), a strategy, a loop order,
// and whether JtJp and JtF are scattered or gathered (published_choices.h); and for each
// intermediate that the author stored and that has derivatives, whether its values and its
// derivatives are stored. The number of a schedule consists of the combination of the groups'
// choices, then the set of intermediates whose values are recomputed, then the set whose
// derivatives are recomputed. Each set is a binary number with the first intermediate in the lowest
// bit. Number 0 stores all of them.
//
// All other decisions follow the published system:
// - groups over the same loop variables that are scheduled equally form one part
// - a J is dense if all stored J together have no zeros, else csr; the JtJ of a csr J is csr, any
//   other dense
// - Sums are parallel
// Found intermediates, other intermediates and the low-level stage keep their defaults.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/space/published_choices.h"
#include "core/search/indexed_space.h"

namespace thallo {

class PublishedSpace final : public IndexedSpace {
 public:
  // `file` (made by with_sites(), if schedules of that energy are wanted) and `constructs` must
  // outlive the space. Only the extents of the binding are read. Fails if the text's own schedule,
  // which defines the groups, cannot be read, or if the profile leaves some group without a choice.
  static Expected<PublishedSpace> make(const EnergyFile& file, const Binding& binding,
                                       const PublishedProfile& profile, Precision precision,
                                       const ConstructRegistry& constructs);

  std::vector<StageCount> stages() const override;
  Schedule schedule(const BigCount& index) const override;
  std::optional<BigCount> index_of(const Schedule& schedule) const override;

  const std::vector<PublishedGroup>& groups() const { return groups_; }
  const PublishedCombinations& combinations() const { return combinations_; }
  // Positions in energy.intermediates().
  const std::vector<std::size_t>& intermediates() const { return intermediates_; }

 private:
  using Combination = std::vector<std::size_t>;

  PublishedSpace(const EnergyFile& file, const ConstructRegistry& constructs,
                 std::vector<PublishedGroup> groups, PublishedCombinations combinations);

  const PublishedChoice& choice_of(const Combination& combination, std::size_t group) const {
    return combinations_.choices()[group][combination[group]];
  }
  // Makes parts by merging groups that are scheduled equally.
  std::vector<Part> parts_of(const Combination& combination) const;
  bool has_dense_j(const Combination& combination) const;

  const Energy& energy_;
  std::vector<PublishedGroup> groups_;
  PublishedCombinations combinations_;
  std::vector<std::size_t> intermediates_;
  std::vector<std::string> sums_;  // names of the Sums
  double num_unknowns_ = 0;
};

}  // namespace thallo
