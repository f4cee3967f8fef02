// The autoscheduler and the estimates it goes by, on every problem.

#include "core/cost/autoschedule/autoschedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/backend/backend.h"
#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/analytic.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/verify/verification.h"
#include "core/kernel/bind/map_statistics.h"
#include "core/problem/driver.h"
#include "core/schedule/storage_format.h"
#include "core/search/schedule_space.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

DeviceSpec shipped(const std::string& name) {
  const auto path = find_asset("devices/" + name + ".toml");
  EXPECT_TRUE(path.has_value());
  return read_device_spec(*path).value();
}

// An instance with all that an estimate needs of it.
struct Case {
  explicit Case(const test::SmallInstance& small)
      : made(test::make(small.problem, small.options)),
        energy(with_found_intermediates(made.energy)),
        options(program_options({}, made.instance.solver, {}, {}, Precision::Double)) {}

  std::unique_ptr<PlanPricer> pricer(const DeviceSpec& device) const {
    return std::make_unique<PlanPricer>(energy, made.instance.binding,
                                        PriceOptions{.program = options, .counts = counts}, device);
  }

  AutoSchedule choose(const DeviceSpec& device, std::int64_t memory_limit = std::int64_t{1} << 30) {
    const auto chosen =
        autoschedule(energy, test::loaded_constructs(), *pricer(device), memory_limit);
    EXPECT_TRUE(chosen.has_value()) << (chosen ? "" : chosen.error().message());
    return *chosen;
  }
  double predicted(const Schedule& schedule, const DeviceSpec& device) {
    return pricer(device)
        ->price(make_plan(energy, schedule, test::loaded_constructs()).value())
        .prediction.nonlinear_iteration;
  }

  test::Made made;
  Energy energy;
  ProgramOptions options;
  IterationCounts counts{.linear_iterations = 10, .reset_period = 0};
};

class AutoScheduleOfProblem : public testing::TestWithParam<test::SmallInstance> {};

TEST_P(AutoScheduleOfProblem, ComputesWhatTheEnergyDefines) {
  Case c(GetParam());
  auto interpreter = make_interpreter_backend().value();
  CompileOptions compile;
  compile.precision = Precision::Double;
  Verification verification(c.energy, c.made.instance.binding, *interpreter, compile,
                            DoubleTolerance);
  for (const char* device : {"h200", "cpu"}) {
    const Schedule schedule = c.choose(shipped(device)).schedule;
    Plan plan = make_plan(c.energy, schedule, test::loaded_constructs()).value();
    plan.precision = Precision::Double;
    const auto results = verification.run(
        1, 1, 0,
        [&](std::int64_t) {
          return ScheduleToVerify{schedule, plan, 1};
        },
        [](std::int64_t) {});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_NE(results.front().verdict, Verdict::Mismatched)
        << schedule.text(test::loaded_constructs()) << results.front().errors.text();
  }
}

TEST_P(AutoScheduleOfProblem, IsPredictedNoSlowerThanTheDefaultAndTheSameEveryTime) {
  Case c(GetParam());
  for (const char* device : {"h200", "cpu"}) {
    const DeviceSpec spec = shipped(device);
    EXPECT_LE(c.predicted(c.choose(spec).schedule, spec), c.predicted(Schedule(), spec));
  }
  Case again(GetParam());
  const DeviceSpec device = shipped("h200");
  const Schedule first = c.choose(device).schedule;
  EXPECT_EQ(c.choose(device).schedule, first);
  EXPECT_EQ(again.choose(device).schedule, first);
}

// What rounding leaves of it in float lies along directions that no residual holds.
TEST_P(AutoScheduleOfProblem, AddsUpNoJtJInFloatWhereNothingDamps) {
  Case c(GetParam());
  c.options.solver = SolverKind::GaussNewton;
  c.options.precision = Precision::Mixed;
  const Schedule schedule = c.choose(shipped("cpu")).schedule;
  const Plan plan = make_plan(c.energy, schedule, test::loaded_constructs()).value();
  for (const Part& part : plan.parts) {
    if (!stores_jtj(part.strategy)) continue;
    EXPECT_EQ(part.jtj_format, legal_formats(part, StoredProduct::JtJ).front()) << part.name;
  }
}

TEST_P(AutoScheduleOfProblem, StoresNoProductThatTheMemoryLimitForbids) {
  Case c(GetParam());
  const Schedule schedule = c.choose(shipped("cpu"), 0).schedule;
  const Plan plan = make_plan(c.energy, schedule, test::loaded_constructs()).value();
  for (const Part& part : plan.parts) {
    EXPECT_FALSE(stores_j(part.strategy) || stores_jtj(part.strategy) || stores_jp(part.strategy))
        << part.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, AutoScheduleOfProblem,
                         testing::ValuesIn(test::small_instances()));

TEST(AutoSchedule, TellsWhatItCompared) {
  Case c({"image_warping", {{"size", 16}}});
  const AutoSchedule chosen = c.choose(shipped("h200"));
  const Plan plan = make_plan(c.energy, chosen.schedule, test::loaded_constructs()).value();
  for (const Part& part : plan.parts) {
    const auto step = std::ranges::find(chosen.steps, "part " + part.name, &AutoStep::subject);
    ASSERT_NE(step, chosen.steps.end()) << part.name;
    EXPECT_TRUE(step->compared.front().name.starts_with(to_string(part.strategy)));
    EXPECT_EQ(step->compared.size(), AllStrategies.size());
  }
  EXPECT_EQ(to_string(AutoStep{"part fit", {{"[JtJ]p", 1.5e-6}, {"JtJp", 2e-6}, {"Jt[Jp]", 3e-6}}}),
            "part fit: [JtJ]p 1.5 µs; JtJp 2 µs, Jt[Jp] 3 µs");
}

// What is gathered at pixels is one part, what scatters to cells is another.
TEST(AutoSchedule, ComputesConvolutionsInTilesOnAGpu) {
  Case c({"deconvolution", {{"size", 400}}});
  const auto num_tiled = [&](const char* device) {
    const Schedule schedule = c.choose(shipped(device)).schedule;
    return std::ranges::count_if(schedule.directives(), [](const Directive& directive) {
      return directive.construct == "block" && directive.choice.args.has("width");
    });
  };
  EXPECT_EQ(num_tiled("h200"), 2) << "both gathers";
  EXPECT_EQ(num_tiled("cpu"), 0);
}

TEST(AutoSchedule, LetsGroupsJoinOneByOne) {
  EnergyBuilder e("pixels");
  const DimId W = e.dim("W"), H = e.dim("H"), C = e.dim("C");
  const auto X = e.unknown("X", {W, H});
  const auto G = e.unknown("G", {C}, 2);
  const auto A = e.array("A", {W, H}, 2);
  const auto cell = e.map("cell", {W, H}, {C});
  const IndexExpr x = e.domain(W, "x"), y = e.domain(H, "y"), c = e.domain(C, "c");
  const auto here = G(cell(x, y)), next = G(cell(x, y) + 1);
  const Expr share = A(x, y)[1];
  e.residual("data", (1 - share) * (here[0] * A(x, y)[0] + here[1]) +
                         share * (next[0] * A(x, y)[0] + next[1]) - X(x, y));
  e.residual("fit", X(x, y) - A(x, y)[0]);
  e.residual("dx", X(x + 1, y) - X(x, y));
  e.residual("dy", X(x, y + 1) - X(x, y));
  e.residual("smooth", G(c + 1) - G(c));
  const Energy energy = test::build(std::move(e));
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("W", 256) && binding.set_extent("H", 256) &&
              binding.set_extent("C", 200));
  std::vector<std::int32_t> cells;
  for (std::int32_t i = 0; i < 256 * 256; ++i) cells.push_back(i / 331);
  ASSERT_TRUE(binding.set_map("cell", cells));
  PlanPricer pricer(energy, binding, {.counts = {.linear_iterations = 30, .reset_period = 0}},
                    shipped("cpu"));
  const auto chosen =
      autoschedule(energy, test::loaded_constructs(), pricer, std::int64_t{1} << 30);
  ASSERT_TRUE(chosen.has_value()) << chosen.error().message();
  const auto plan = make_plan(energy, chosen->schedule, test::loaded_constructs());
  EXPECT_EQ(plan->parts.size(), 3u) << chosen->schedule.text(test::loaded_constructs());
  const auto step = std::ranges::find(chosen->steps, "groups over (W, H)", &AutoStep::subject);
  ASSERT_NE(step, chosen->steps.end());
  EXPECT_EQ(step->compared.front().name, "2 parts") << to_string(*step);
}

// Every point adds to the one element of an unknown with so many channels.
class LayoutOfOneElement : public testing::Test {
 protected:
  static Energy make_energy(int channels) {
    EnergyBuilder e("one_element");
    const DimId N = e.dim("N"), U = e.dim("U");
    const auto X = e.unknown("X", {U}, channels);
    const auto A = e.array("A", {N, U}, channels);
    const IndexExpr n = e.domain(N, "n"), u = e.domain(U, "u");
    e.residual("r", X(u) - A(n, u));
    return test::build(std::move(e));
  }
  static VectorOrder choose(int channels, const std::string& device,
                            const ProgramOptions& options = {}) {
    const Energy energy = make_energy(channels);
    Binding binding(energy);
    EXPECT_TRUE(binding.set_extent("N", 1 << 18) && binding.set_extent("U", 1));
    PlanPricer pricer(energy, binding, {.program = options}, shipped(device));
    const auto chosen = autoschedule(energy, test::loaded_constructs(), pricer, 0);
    EXPECT_TRUE(chosen.has_value()) << (chosen ? "" : chosen.error().message());
    return make_plan(energy, chosen->schedule, test::loaded_constructs()).value().vector_order;
  }
};

TEST_F(LayoutOfOneElement, IsBlockedWhereVectorsSaveAdditions) {
  EXPECT_EQ(choose(9, "h200"), VectorOrder::Blocked);
  EXPECT_EQ(choose(9, "cpu"), VectorOrder::Plain);
  EXPECT_EQ(choose(4, "h200"), VectorOrder::Plain);
  ProgramOptions dense;
  dense.linear_solver = dense_solver();
  EXPECT_EQ(choose(9, "h200", dense), VectorOrder::Plain);
}
// What the estimate and the lowered program predict for a product of bundle adjustment.
struct Predicted {
  double estimated = 0, lowered = 0;
};
Predicted predicted_where(Case& c, ComputeAt where) {
  const DeviceSpec device = shipped("h200");
  Plan plan = default_plan(c.energy);
  plan.precision = Precision::Double;
  plan.parts.front().jtjp = where;
  const auto pricer = c.pricer(device);
  return {.estimated = pricer->estimated_seconds(plan),
          .lowered = pricer->price(plan).prediction.nonlinear_iteration};
}

// A thread gathers all observations of a camera, one after the other; of a point there are few.
TEST(Estimator, AGatherWaitsForTheElementOfMostPoints) {
  Case c({"bundle_adjustment", {{"cameras", 4}, {"points", 20000}}});
  const std::size_t cameras = 0, points = 1;
  const Predicted scattered = predicted_where(c, ComputeAt::Residual);
  const Predicted gathered = predicted_where(c, ComputeAt::Output);
  const Predicted at_cameras = predicted_where(c, ComputeAt::output_of({cameras}));
  const Predicted at_points = predicted_where(c, ComputeAt::output_of({points}));
  for (const auto of : {&Predicted::estimated, &Predicted::lowered}) {
    EXPECT_GT(gathered.*of, 5 * scattered.*of);
    EXPECT_GT(at_cameras.*of, 5 * scattered.*of);
    EXPECT_LT(at_points.*of, 0.5 * gathered.*of);
    EXPECT_GT(at_points.*of, scattered.*of) << "one kernel more";
  }
  EXPECT_NEAR(at_points.estimated, at_points.lowered, 0.3 * at_points.lowered);
}

// Of random schedules, what the estimate predicts and what the lowered program predicts.
// Finds an estimate that drifts from what is lowered; each schedule is lowered.
TEST(Estimator, RanksSchedulesAsTheirProgramsDo) {
  // Small instances take a GPU little more than the launches.
  const DeviceSpec device = shipped("cpu");
  std::vector<double> rhos;
  for (const test::SmallInstance& small : test::small_instances()) {
    Case c(small);
    const auto pricer = c.pricer(device);
    const ScheduleSpace space(c.energy, test::loaded_constructs(), Precision::Double);
    std::vector<double> estimated, lowered;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const ScheduleSpace::Sample sample = space.sample(seed);
      if (!check_program(c.energy, sample.plan, c.options)) continue;
      lowered.push_back(pricer->price(sample.plan).prediction.nonlinear_iteration);
      estimated.push_back(pricer->estimated_seconds(sample.plan));
    }
    const auto rho = spearman_rho(estimated, lowered);
    if (!rho) continue;
    EXPECT_GE(*rho, 0) << small.problem;
    rhos.push_back(*rho);
  }
  EXPECT_GT(median(rhos), 0.6);
}

}  // namespace
}  // namespace thallo
