// Programs of random energies against the definition of the energy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/energy/random/random_energy.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/schedule/plan_print.h"
#include "core/schedule/storage_format.h"
#include "tests/support/backend_test.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/random_passes.h"
#include "tests/support/random_plan.h"

namespace thallo::test {

inline ProgramOptions solved_by(const LinearSolver* solver) {
  return {SolverKind::LevenbergMarquardt, no_preconditioner(), solver};
}

inline ProgramOptions with_some_passes(std::uint64_t seed) {
  ProgramOptions options = damped_blocks;
  options.passes = random_passes(seed);
  return options;
}

// Returns the plan with blocked vectors, if its products may be applied to them.
inline std::optional<Plan> with_blocked_vectors(const Energy& energy, Plan plan) {
  for (const Part& part : plan.parts) {
    for (const StoredProduct product : {StoredProduct::J, StoredProduct::JtJ})
      if (!columns_of(energy, part, product).empty()) return {};
  }
  plan.vector_order = VectorOrder::Blocked;
  return plan;
}

class RandomPrograms : public ::testing::Test {
 protected:
  static std::unique_ptr<Backend> interpreter() { return make_interpreter_backend().value(); }

  void expect_conformance(Backend& backend, const RandomEnergy& random, const Plan& plan,
                          const ProgramOptions& options) {
    expect_conformance(backend, random, random.energy, plan, options);
  }

  // `sited` is the energy, perhaps with intermediates that are found in it.
  void expect_conformance(Backend& backend, const RandomEnergy& random, const Energy& sited,
                          const Plan& plan, const ProgramOptions& options) {
    SCOPED_TRACE(random.text() + to_string(sited, plan));
    const auto executable = test::compiled(backend, sited, plan, options);
    const auto errors =
        OperatorTruth(random.energy, random.binding).errors_of(*executable, random.seed);
    EXPECT_TRUE(errors.within(DoubleTolerance, plan)) << errors.text();
    worst_ = std::max(worst_, errors.worst());
  }

  // Under a random plan, with blocked vectors where it may have them.
  void expect_conformance_with_blocked_vectors(Backend& backend, const RandomEnergy& random) {
    const Plan plan = random_plan(random.energy, random.seed);
    expect_conformance(backend, random, with_blocked_vectors(random.energy, plan).value_or(plan),
                       damped_blocks);
  }

  // With passes that are drawn, and for one seed of three without any.
  void expect_conformance_with_passes(Backend& backend, std::uint64_t seed) {
    const RandomEnergy random = make_random_stencil_energy(seed);
    const std::uint64_t which = seed % 3 == 0 ? 0 : seed;
    SCOPED_TRACE(to_string(random_passes(which)));
    expect_conformance(backend, random, random_plan(random.energy, seed), with_some_passes(which));
  }

  // Compares the matrix of a direct solver, which no schedule changes.
  void expect_matrix(Backend& backend, std::uint64_t seed, const LinearSolver* solver) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      expect_conformance(backend, random, default_plan(random.energy), solved_by(solver));
      expect_conformance(backend, random, random_plan(random.energy, seed), solved_by(solver));
    }
  }

  double worst_ = 0;
};

}  // namespace thallo::test
