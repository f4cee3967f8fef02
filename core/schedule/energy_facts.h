#pragma once

// What constructs and lowering ask about the residuals of an energy again and again. Each answer
// takes derivatives, so it is found when it is first asked for and then kept with the energy
// (Energy::facts). All functions may be called from any thread; what they return lives as long as
// the energy or a copy of it.

#include <cstddef>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

// About the accesses of a residual to unknowns by which it has a derivative.
struct ResidualFacts {
  // Fails for the first access without an inverse (gather.h), and names it.
  Expected<void> inverses;
  // The same where sparse maps have no inverses.
  Expected<void> inverses_without_maps;
  bool reads_through_map = false;
  // The domains that occur in the index of an access; each such list once.
  std::vector<std::vector<DomainId>> access_domains;
};
const ResidualFacts& facts_of(const Energy& energy, ResidualRef residual);

// Fails for the first two accesses of the residual that are not at a fixed offset from each other,
// because it varies with a domain of a Sum; also for an access without an inverse.
const Expected<void>& fixed_offsets_of(const Energy& energy, ResidualRef residual);

// All Sums of residuals whose summand reads an unknown, none of them parallel.
const std::vector<PlannedSum>& sums_of(const Energy& energy);

// Fails when an intermediate, one of energy.intermediates(), has no derivatives by the unknowns
// that could be stored, and says why.
const Expected<void>& check_gradient(const Energy& energy, std::size_t intermediate);

}  // namespace thallo
