#pragma once

// Facts about the residuals of an energy that constructs and lowering need repeatedly. Computing
// them takes derivatives, so each is computed on first use and then kept with the energy
// (Energy::facts). All functions may be called from any thread; their results live as long as the
// energy or a copy of it.

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

// Facts about the accesses of a residual to unknowns by which it has a derivative.
struct ResidualFacts {
  // Fails for the first access without an inverse (gather.h), and names it.
  Expected<void> inverses;
  // The same of the accesses to each space of unknowns that the residual has a derivative by.
  std::map<std::size_t, Expected<void>> inverses_at;
  // As `inverses`, if sparse maps have no inverses.
  Expected<void> inverses_without_maps;
  // The spaces with an access that goes through a sparse map.
  std::set<std::size_t> spaces_through_maps;
  // The domains that occur in the index of an access; each distinct list once.
  std::vector<std::vector<DomainId>> access_domains;
};
const ResidualFacts& facts_of(const Energy& energy, ResidualRef residual);

// Fails for the first two accesses of the residual that are not at a fixed offset from each other
// because the offset varies with a domain of a Sum; also fails for an access without an inverse.
const Expected<void>& fixed_offsets_of(const Energy& energy, ResidualRef residual);

// Returns all Sums of residuals whose summand reads an unknown; none of them is parallel.
const std::vector<PlannedSum>& sums_of(const Energy& energy);

// Fails with the reason if an intermediate, one of energy.intermediates(), has no derivatives by
// the unknowns that could be stored.
const Expected<void>& check_gradient(const Energy& energy, std::size_t intermediate);

}  // namespace thallo
