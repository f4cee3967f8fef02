// What an energy and its data contain, by name, and how many of many energies have each of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/energy/random/random_energy.h"

namespace thallo::test {

// What a random energy can contain; found by looking at the energy and its data.
const std::vector<std::string>& all_features();
std::set<std::string> features_of(const Energy& energy, const Binding& binding);

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
