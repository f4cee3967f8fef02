// The space of schedules that the published system enumerates, as schedules of ours, so that its
// counts and measurements can be reproduced.
//
// Each group of residuals (published_groups.h) has a strategy, an order of its loops, and JtJp and
// JtF scattered or gathered (published_choices.h); of each intermediate that the author stored and
// that has derivatives, values and derivatives are stored or not. Schedules are numbered by
// combinations of groups first, then by the intermediates whose values are recomputed, then by
// those whose derivatives are: two binary numbers, the first intermediate in the lowest bit. Number
// 0 stores all of them.
//
// What these decisions leave open is filled in as the published system has it:
// - groups over the same loop variables that are scheduled equally are one part
// - a J is dense if all stored J together have no zeros, else csr; the JtJ of a csr J is csr, any
//   other dense
// - Sums are parallel
// Found intermediates, other intermediates and the low-level stage keep their defaults.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/indexed_space.h"
#include "core/explore/published_choices.h"

namespace thallo {

class PublishedSpace final : public IndexedSpace {
 public:
  // `file` (of with_sites(), if schedules of that energy are wanted) and `constructs` must outlive
  // the space; the binding is read for its extents alone. Fails when the text's own schedule, which
  // says what its groups are, cannot be read, and when the profile leaves a group without any
  // choice.
  static Expected<PublishedSpace> make(const EnergyFile& file, const Binding& binding,
                                       const PublishedProfile& profile, Precision precision,
                                       const ConstructRegistry& constructs);

  std::string id() const override { return id_; }
  const BigCount& size() const override { return size_; }
  std::vector<StageCount> stages() const override;
  std::optional<BigCount> num_distinct(const BigCount& max_compared) const override;
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
  // Groups that are scheduled equally, as one part each.
  std::vector<Part> parts_of(const Combination& combination) const;
  bool has_dense_j(const Combination& combination) const;

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  std::vector<PublishedGroup> groups_;
  PublishedCombinations combinations_;
  std::vector<std::size_t> intermediates_;
  std::vector<std::string> sums_;  // their names
  double num_unknowns_ = 0;
  std::string id_;
  BigCount size_;
};

}  // namespace thallo
