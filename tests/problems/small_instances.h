// Every problem at a size where all its points can be visited by EnergyEvaluator.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/problem/problem.h"

namespace thallo::test {

struct SmallInstance {
  std::string problem;
  Options options;

  // For GoogleTest, which prints the bytes of what it does not know.
  friend void PrintTo(const SmallInstance& small, std::ostream* out) { *out << small.problem; }
};

// Each problem at least once, those with variants that differ in their energy several times.
const std::vector<SmallInstance>& small_instances();

}  // namespace thallo::test
