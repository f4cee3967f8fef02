// Seeded random energies: for property tests, which compare derivatives, lowering and backends with
// EnergyEvaluator on hundreds of them, and as samples of what people might write (`thallo new
// energy`). An energy has a few residual groups and mixes whatever the language has. Functions stay
// in their domains, and magnitudes stay moderate.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

struct RandomEnergy {
  std::uint64_t seed = 0;
  Energy energy;
  Binding binding;  // tiny data, clear of where comparisons of values switch

  std::string text() const;  // the seed, the extents and the energy, for messages
};

// Returns an energy over images, points, graphs and products of them that has as much as possible
// of what is hard: global unknowns, reads at constant places and at borders, sampled images, empty
// domains.
RandomEnergy make_random_energy(std::uint64_t seed);
// Returns one whose unknowns are read at offsets of the residual's own point only, in Sums also at
// the offsets of the Sum, so that every transposed product can be computed at the output.
RandomEnergy make_random_stencil_energy(std::uint64_t seed);

// An energy as a problem might have it: every unknown is fitted to data, every read is near the
// residual or follows a map, and it has only what fits to its images, volumes, points or graphs.
struct RandomProblem {
  Energy energy;
  std::map<std::string, std::int64_t> extents;  // of its dims; 20,000 to 100,000 residuals
  bool has_nearby_maps = false;  // true if maps should lead to points with similar numbers
};
RandomProblem make_random_problem(std::uint64_t seed);

}  // namespace thallo
