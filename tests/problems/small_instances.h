// Every problem at a size where all its points can be visited by EnergyEvaluator.
#pragma once

#include <string>
#include <vector>

#include "core/problem/problem.h"

namespace thallo::test {

struct SmallInstance {
  std::string problem;
  Options options;
};

// Each problem at least once, those with variants that differ in their energy several times.
const std::vector<SmallInstance>& small_instances();

}  // namespace thallo::test
