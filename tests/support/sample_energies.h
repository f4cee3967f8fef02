// Small energies with data, one for each mechanism of the language; what lowering, backends and
// solvers are tried on first.
#pragma once

#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo::test {

struct SampleEnergy {
  std::string name;
  Energy energy;
  Binding binding;
};

std::vector<SampleEnergy> sample_energies();

}  // namespace thallo::test
