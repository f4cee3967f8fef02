// Collects the facts about an instance that the rules of the published space (published_space.h)
// depend on.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/frontend/energy_file.h"
#include "core/schedule/schedule.h"

namespace thallo {

// Residuals that the published system schedules together.
struct PublishedGroup {
  std::vector<ResidualRef> residuals;  // ascending
  std::vector<DomainId> domains;       // of the group of its first residual, as declared
  bool has_sum = false;
  // True if every access to an unknown that has a derivative uses the domains in their order, one
  // for each dim of the unknown, with constant shifts at most: X(x, y) and X(x + 1, y), but not
  // X(y, x) or X(v(x), y). Then the products of the group can be gathered at the unknowns.
  bool can_gather = false;
  double entries_per_point = 0;  // entries of J; a point of a Sum counts as one
  double num_points = 0;

  double num_entries() const { return entries_per_point * num_points; }
};

// Returns the groups in the order of their first residuals. They are the groups that the text's own
// schedule makes by merging and splitting or, with `split`, one group for each residual. Fails if
// the text's schedule cannot be read.
Expected<std::vector<PublishedGroup>> published_groups(const EnergyFile& file,
                                                       const Binding& binding, bool split,
                                                       const ConstructRegistry& constructs);

// Returns the intermediates that the author stored (`v:get(...)`) and that have derivatives by an
// unknown, as positions in energy.intermediates().
std::vector<std::size_t> published_intermediates(const Energy& energy);

}  // namespace thallo
