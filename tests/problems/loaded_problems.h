// The problems as the program finds them: loaded from their modules in the build tree.
#pragma once

#include <string_view>

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

}  // namespace thallo::test
