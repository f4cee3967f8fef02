// Programs of random energies against the definition of the energy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/energy/random/random_energy.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/schedule/plan_print.h"

namespace thallo::test {

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
    auto executable = backend.compile(generate(make_program(sited, plan, options)),
                                      {.precision = Precision::Double});
    ASSERT_TRUE(executable) << executable.error().message();
    const auto errors =
        conformance_errors(**executable, random.energy, random.binding, random.seed);
    EXPECT_TRUE(errors.within(DoubleTolerance, plan)) << errors.text();
    worst_ = std::max(worst_, errors.worst());
  }

  double worst_ = 0;
};

}  // namespace thallo::test
