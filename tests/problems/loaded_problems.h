// The problems as the program finds them: loaded from their modules in the build tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"

namespace thallo::test {

// Loaded on first use; a failure to load fails the test.
const ProblemRegistry& loaded_problems();

// An energy and an instance of a problem, from the given options and the defaults of the others.
struct Made {
  const Problem* problem;
  Energy energy;
  Instance instance;
};
Expected<Made> make_instance(std::string_view problem, const Options& options);
// Throws where it cannot be made.
Made make(std::string_view problem, const Options& options);
// The message where it cannot be made.
std::string error_of(std::string_view problem, const Options& options);

// By EnergyEvaluator, at the start.
double cost_of(const Made& made);
// The field as doubles, by name.
std::vector<double> field_of(const Made& made, std::string_view name);

}  // namespace thallo::test
