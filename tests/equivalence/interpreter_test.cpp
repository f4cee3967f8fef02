// Lowering and code generation against the definition of the energy, on the interpreter: no
// compiler is involved, so what fails here is the program itself.

#include <gmock/gmock.h>

#include "core/energy/builder.h"
#include "core/energy/found/intermediates.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/backend_test.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/energies.h"
#include "tests/support/narrow_plan.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

TEST(InterpretedProgram, ComputesTheOperatorOfEachSampleEnergy) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    const auto executable =
        test::interpreted(sample.energy, default_plan(sample.energy), test::damped_blocks);
    const auto errors = OperatorTruth(sample.energy, sample.binding).errors_of(*executable, 1);
    EXPECT_LT(errors.worst(), DoubleTolerance) << sample.name << ": " << errors.text();
  }
}

// Sums over one loop variable in each other, through intermediates that read each other at offsets
// that it has a part in; one of them stands alone as well.
TEST(InterpretedProgram, KeepsTheLoopsOfNestedSumsApart) {
  EnergyBuilder e("chain");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const auto T = e.array("T", {K});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  const Expr s1 = e.sum({k}, T(k) * X(n + k));
  const auto a = e.intermediate("a", std::vector{n}, s1 * X(n));
  const Expr s2 = e.sum({k}, T(k) * a(n + k) * s1);
  const auto b = e.intermediate("b", std::vector{n}, s2 + a(n + 1));
  const Expr s3 = e.sum({k}, T(k) * b(n - k) * a(n + k));
  e.residual("fit", {s3 + s2 * X(n), s1});
  const Energy energy = test::build(std::move(e));
  const Binding binding = test::bind(
      energy,
      {.extents = {{"N", 5}, {"K", 2}},
       .fields = {{"X", std::vector{0.9, 1.2, -0.7, 0.4, 1.1}}, {"T", std::vector{0.8, 0.3}}}});
  Plan plan = default_plan(energy);
  ASSERT_EQ(plan.sums.size(), 3U);
  for (const bool is_parallel : {false, true}) {
    for (PlannedSum& sum : plan.sums) sum.is_parallel = is_parallel;
    for (const Materialization stored :
         {Materialization{}, Materialization{.value = true}, Materialization{.gradient = true}}) {
      for (Materialization& m : plan.intermediates) m = stored;
      const auto executable = test::interpreted(energy, plan, test::damped_blocks);
      const auto errors = OperatorTruth(energy, binding).errors_of(*executable, 4);
      EXPECT_LT(errors.worst(), DoubleTolerance) << errors.text();
    }
  }
}

// X(i) times A(i), so that J is A (or `factor` times it).
struct Steep {
  double factor = 1;
  Energy energy = [this] {
    EnergyBuilder e("steep");
    const DimId n = e.dim("N");
    const auto x = e.unknown("X", {n});
    const auto a = e.array("A", {n});
    const auto i = e.domain(n);
    e.residual("fit", {factor * a(i) * x(i)});
    return std::move(e).build().value();
  }();
  Binding binding{energy};

  explicit Steep(double steepest, double of_factor = 1) : factor(of_factor) {
    EXPECT_TRUE(binding.set_extent("N", 3) && binding.set_field("X", std::vector{1.0, 2.0, 3.0}) &&
                binding.set_field("A", std::vector{1.0, steepest, 2.0}));
  }
  ConformanceErrors errors_in_halves(Strategy strategy) const {
    const Plan plan = test::stored_in(ScalarType::Half, 4e-3, energy, strategy);
    return OperatorTruth(energy, binding)
        .errors_of(*test::interpreted(energy, plan, test::damped_blocks), 5);
  }
};

// What the energy's derivative 1e5 becomes in a half is infinite, and the comparison says so.
TEST(InterpretedProgram, IsOutOfRangeWhereAStoredProductIsBeyondHalves) {
  const Plan plan;
  EXPECT_TRUE(Steep(6.55e4).errors_in_halves(Strategy::StoredJ).within(4e-3, plan));
  const auto beyond = Steep(1e5).errors_in_halves(Strategy::StoredJ);
  EXPECT_FALSE(beyond.within(4e-3, plan)) << beyond.text();
  EXPECT_EQ(beyond.out_of_range,
            "J of r.fit is kept in halves, which end at 65504: 1 of its 3 values are beyond. In "
            "place of r.fit.J:precision(\"half\") choose \"single\" or \"working\"");
  EXPECT_TRUE(Steep(300).errors_in_halves(Strategy::StoredJ).out_of_range.empty());
  EXPECT_THAT(Steep(300).errors_in_halves(Strategy::StoredJtJ).out_of_range,
              testing::StartsWith("JtJ of r.fit"));
}

// 6.5e-9 is 0 in a half, and 5e-8 has one bit there. What that changes in J (J p) is not held
// against the schedule; a J that is wrong is.
TEST(InterpretedProgram, IsNotWrongWhereAHalfUnderflows) {
  const Steep steep(1);
  const Plan halves = test::stored_in(ScalarType::Half, 4e-3, steep.energy, Strategy::StoredJ);
  for (const Strategy strategy : {Strategy::StoredJ, Strategy::StoredJtJ, Strategy::StoredJp}) {
    for (const double small : {6.5e-9, 5e-8, 1e-6, 1e-5}) {
      const auto errors = Steep(small).errors_in_halves(strategy);
      EXPECT_TRUE(errors.within(DoubleTolerance, halves)) << errors.text();
    }
  }
  Steep small(1e-5);
  EXPECT_TRUE(small.binding.set_field("A", std::vector{1e-5, 1e-5, 1e-5}));
  const auto executable = test::interpreted(steep.energy, halves, test::damped_blocks);
  const auto wrong = OperatorTruth(Steep(1, 1.05).energy, small.binding).errors_of(*executable, 5);
  EXPECT_GT(wrong.jtjp, halves.product_tolerance);
}

}  // namespace
}  // namespace thallo
