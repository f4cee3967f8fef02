// The directions of all intermediates of every problem, found ones too, alone and with stored
// values or derivatives, against the definition of the energy. Problems have derivatives that are
// no numbers where no residual reads them, which random energies do not.
#include <gtest/gtest.h>

#include "core/backend/backend.h"
#include "core/energy/found/intermediates.h"
#include "core/explore/verify/verification.h"
#include "core/schedule/energy_facts.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"

namespace thallo::test {
namespace {

class DirectionsOfProblem : public testing::TestWithParam<SmallInstance> {};

TEST_P(DirectionsOfProblem, ComputeTheSameOperator) {
  const Made made = make(GetParam().problem, GetParam().options);
  const Energy energy = with_found_intermediates(made.energy, FoundSites::All);
  const auto interpreter = make_interpreter_backend().value();
  CompileOptions compile;
  compile.precision = Precision::Double;
  Verification verification(energy, made.instance.binding, *interpreter, compile, DoubleTolerance);
  for (const Materialization with : {Materialization{}, {.value = true}, {.gradient = true}}) {
    Plan plan = default_plan(energy);
    for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
      if (!check_gradient(energy, i)) continue;
      plan.intermediates[i] = with;
      plan.intermediates[i].direction = true;
    }
    plan.precision = Precision::Double;
    const auto results = verification.run(
        1, 1, 0,
        [&](std::int64_t) {
          return ScheduleToVerify{Schedule(), plan, 1};
        },
        [](std::int64_t) {});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_NE(results.front().verdict, Verdict::Mismatched)
        << with.value << with.gradient << ' ' << results.front().errors.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, DirectionsOfProblem, testing::ValuesIn(small_instances()));

}  // namespace
}  // namespace thallo::test
