// Ceres as a test oracle: minimizes an energy, evaluated by EnergyEvaluator, with Ceres' own trust
// region and sparse Cholesky. Only in the tests, and only where libceres-dev is installed; tests
// that need it skip by name where it is not.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo::test {

bool has_ceres();

struct CeresOptions {
  int max_iterations = 500;
  double function_tolerance = 1e-10;
  double gradient_tolerance = 0;
  double parameter_tolerance = 0;
};

struct CeresResult {
  double initial_cost = 0;  // 1/2 sum r^2, as ours
  double final_cost = 0;
  int iterations = 0;
  std::vector<double> unknowns;  // in the order of the unknown vector
  double seconds = 0;
};

// From the unknowns of the binding, moved into their bounds; those that are excluded or not finite
// are held. InternalError where has_ceres() is false.
CeresResult minimize_with_ceres(const Energy& energy, const Binding& binding,
                                const CeresOptions& options = {});

}  // namespace thallo::test

#define THALLO_REQUIRE_CERES() \
  if (!::thallo::test::has_ceres()) GTEST_SKIP() << "built without Ceres (libceres-dev)"
