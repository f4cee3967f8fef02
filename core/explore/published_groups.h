// What the rules of the published space (published_space.h) need to know of an instance of an
// energy.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/language/energy_file.h"
#include "core/schedule/schedule.h"

namespace thallo {

// Residuals that the published system schedules together.
struct PublishedGroup {
  std::vector<ResidualRef> residuals;  // ascending
  std::vector<DomainId> domains;       // of the group of its first residual, as declared
  bool has_sum = false;
  // Does every access to an unknown that has a derivative read it at the domains, one for each of
  // its dims and in their order, which may be shifted: X(x, y) and X(x + 1, y), not X(y, x) or
  // X(v(x), y)? Then its products can be gathered at the unknowns.
  bool can_gather = false;
  double entries_per_point = 0;  // of J; a point of a Sum counts as one
  double num_points = 0;

  double num_entries() const { return entries_per_point * num_points; }
};

// In the order of their first residuals. The groups are those that the text's own schedule makes by
// merges and splits; with `split`, each residual by itself. Fails when the text's schedule does.
Expected<std::vector<PublishedGroup>> published_groups(const EnergyFile& file,
                                                       const Binding& binding, bool split,
                                                       const ConstructRegistry& constructs);

// The intermediates that the author stored (`v:get(...)`) and that have derivatives by an unknown:
// positions in energy.intermediates().
std::vector<std::size_t> published_intermediates(const Energy& energy);

}  // namespace thallo
