// Programs in mixed precision against the definition of the energy: what decides the answer is
// exact to double, what the linear loop does is exact to float.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "core/backend/backend.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/backend_test.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/in_turn.h"
#include "tests/support/random_plan.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

ProgramOptions in_mixed(ProgramOptions options) {
  options.precision = Precision::Mixed;
  return options;
}

class MixedPrecision : public test::BackendTest<const char*> {
 protected:
  ConformanceErrors errors_of(const test::SampleEnergy& sample, const Plan& plan,
                              const ProgramOptions& options) const {
    const auto executable =
        test::compiled(*backend_, sample.energy, plan, in_mixed(options),
                       {.precision = backend_->has_float() ? Precision::Mixed : Precision::Double});
    return OperatorTruth(sample.energy, sample.binding).errors_of(*executable, 1);
  }

  // All of the interpreter is in double: what is off there reads a copy that is not up to date.
  void expect_conformance(const test::SampleEnergy& sample, const Plan& plan,
                          const ProgramOptions& options) const {
    const ConformanceErrors errors = errors_of(sample, plan, options);
    EXPECT_TRUE(errors.within(backend_->has_float() ? FloatTolerance : DoubleTolerance, plan))
        << sample.name << ": " << errors.text();
    EXPECT_LT(errors.masks, DoubleTolerance) << sample.name << ": " << errors.text();
    EXPECT_LT(errors.cost, DoubleTolerance) << sample.name << ": " << errors.text();
    EXPECT_LT(errors.jtf, DoubleTolerance) << sample.name << ": " << errors.text();
  }
};

TEST_P(MixedPrecision, DecidesInDoubleUnderAnyPlan) {
  for (const test::SampleEnergy& sample : test::sample_energies())
    expect_conformance(sample, default_plan(sample.energy), test::damped_blocks);
  // Every decision of a plan, in any combination. A compiler runs for each kernel, so compiled
  // backends take a few plans.
  const std::uint64_t all = !backend_->has_float() ? 12 : test::TakesAllVariants ? 4 : 1;
  std::uint64_t seed = 1;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    for (std::uint64_t i = 0; i < all; ++i)
      expect_conformance(sample, test::random_plan(sample.energy, seed++), test::damped_blocks);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MixedPrecision, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace thallo
