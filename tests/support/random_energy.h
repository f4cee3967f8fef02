// Seeded random energies with data, for property tests: derivatives, lowering and backends are
// compared with EnergyEvaluator on hundreds of them. An energy has up to four residual groups over
// images, points, graphs and products of them, and mixes whatever the language has; the data are
// tiny. Values are drawn so that functions stay in their domains, magnitudes stay moderate, and
// comparisons of values stay clear of where they switch.
//
//   const RandomEnergy random = make_random_energy(seed);
//   coverage.add(random);
//   SCOPED_TRACE(random.text());        // prints seed and energy when something fails
//   ...
//   std::cout << coverage.table();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo::test {

// What a random energy can contain, by name; found by looking at the energy and its data.
const std::vector<std::string>& all_features();
std::set<std::string> features_of(const Energy& energy, const Binding& binding);

struct RandomEnergy {
  std::uint64_t seed = 0;
  Energy energy;
  Binding binding;
  std::set<std::string> features;

  std::string text() const;
};

RandomEnergy make_random_energy(std::uint64_t seed);
// One whose unknowns are read at offsets of the residual's own point only, in Sums also at the
// offsets of the Sum, so that every transposed product can be computed at the output.
RandomEnergy make_random_stencil_energy(std::uint64_t seed);

// How many energies had each feature.
class FeatureCoverage {
 public:
  void add(const RandomEnergy& random);
  std::vector<std::string> missing() const;
  std::string table() const;

 private:
  int num_energies_ = 0;
  std::map<std::string, int> counts_;
};

}  // namespace thallo::test
