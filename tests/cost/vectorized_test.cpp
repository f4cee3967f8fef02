// Kernels of a host whose points are computed several at once, and those whose points are not.
#include <gtest/gtest.h>

#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/analytic.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/kernel/bind/map_statistics.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/language/load_energy.h"

namespace thallo {
namespace {

DeviceSpec spec_of(const std::string& name) {
  return read_device_spec(*find_asset("devices/" + name + ".toml")).value();
}

constexpr double Points = 1 << 16;

Access by_one(Access::Kind kind) {
  return {.kind = kind,
          .motion = Motion::ByOne,
          .count = Points,
          .bytes = 4,
          .element = 4,
          .table = 4 * Points};
}

// So many additions and multiplications a point, of a few scalars.
StepWork arithmetic(double of_point) {
  StepWork step{.phase = Phase::Apply, .label = "arithmetic"};
  step.features.points = static_cast<std::int64_t>(Points);
  step.features.flops.adds = step.features.flops.multiplies = Points * of_point / 2;
  step.features.loads = 2 * Points;
  step.features.accesses = {by_one(Access::Kind::Read), by_one(Access::Kind::Read),
                            by_one(Access::Kind::Store)};
  return step;
}

double threads(const StepWork& step, const DeviceSpec& device) {
  return StepTimes::of(terms_of(step, {}, device)).threads;
}

TEST(Vectorized, PointsThatAddToMemoryOrHaveLoopsAreComputedOneByOne) {
  const DeviceSpec cpu = spec_of("cpu");
  const double at_once = threads(arithmetic(100), cpu);
  StepWork adds = arithmetic(100);
  adds.features.accesses.back().kind = Access::Kind::Add;
  EXPECT_GT(threads(adds, cpu), 4 * at_once);
  StepWork loops = arithmetic(100);
  loops.features.passes = Points;
  EXPECT_GT(threads(loops, cpu), 4 * at_once);
  StepWork gathers = arithmetic(100);
  gathers.features.accesses.front().motion = Motion::Jumps;
  gathers.features.accesses.front().map = MapId(0);
  EXPECT_GT(threads(gathers, cpu), 4 * at_once);
  // Five scalars an element, which no instruction takes apart.
  StepWork stores = arithmetic(100);
  stores.features.accesses.back().element = 20;
  EXPECT_GT(threads(stores, cpu), 4 * at_once);
}

TEST(Vectorized, ManyValuesOfAPointOrScalarsThatAreNotSideBySideTakeLonger) {
  const DeviceSpec cpu = spec_of("cpu");
  EXPECT_GT(threads(arithmetic(2000), cpu), 100 * threads(arithmetic(100), cpu));
  const StepWork plain = arithmetic(10);
  StepWork two = plain, six = plain, bytes = plain;
  two.features.accesses.front().element = 8;
  six.features.accesses.front().element = 24;
  bytes.features.accesses.front().bytes = bytes.features.accesses.front().element = 1;
  EXPECT_GT(threads(two, cpu), threads(plain, cpu));
  EXPECT_GT(threads(six, cpu), 2 * threads(two, cpu));
  EXPECT_GT(threads(bytes, cpu), 2 * threads(plain, cpu));
}

// Second-order total generalized variation.
constexpr const char* Denoising = R"(
local W, H = Dims("W", "H")
Inputs { U = Unknown(float, {W, H}), V = Unknown(float2, {W, H}), A = Array(float, {W, H}) }
local x, y = W(), H()
local u, v, right, below = U(x, y), V(x, y), InBounds(x + 1, y), InBounds(x, y + 1)
local vr, vb = V(x + 1, y), V(x, y + 1)
local r = Residuals {
  fit = u - A(x, y),
  first = { Select(right, U(x + 1, y) - u - v(0), 0), Select(below, U(x, y + 1) - u - v(1), 0) },
  second = { Select(right, vr(0) - v(0), 0), Select(below, vb(1) - v(1), 0),
             0.5 * (Select(below, vb(0) - v(0), 0) + Select(right, vr(1) - v(1), 0)) },
}
r.first:loss(soft_l1(0.01))
r.second:loss(soft_l1(0.01))
)";

TEST(Vectorized, AStencilIsGatheredWhereItsScatterIsComputedPointByPoint) {
  const Energy energy = load_energy_text(Denoising, "tgv.lua").value().energy.as_written();
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("W", 128) && binding.set_extent("H", 128));
  const ProgramOptions options;
  const DeviceSpec cpu = spec_of("cpu");
  const IterationCounts counts{.linear_iterations = 30, .reset_period = 0};
  PlanPricer pricer(energy, binding, {.program = options, .counts = counts}, cpu);
  double estimated[2], lowered[2];
  for (const bool gathers : {false, true}) {
    Plan plan = default_plan(energy);
    plan.precision = Precision::Float;
    for (Part& part : plan.parts) part.jtjp = gathers ? ComputeAt::Output : ComputeAt::Residual;
    estimated[gathers] = pricer.estimated_seconds(plan);
    lowered[gathers] = pricer.price(plan).prediction.nonlinear_iteration;
  }
  EXPECT_GT(estimated[false], estimated[true]);
  EXPECT_GT(lowered[false], lowered[true]);
}

}  // namespace
}  // namespace thallo
