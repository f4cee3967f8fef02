// Estimated steps beside those of the lowered program, which have the same names.

#include "core/cost/pricing/estimator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/problem/driver.h"
#include "core/problem/suit_program.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

DeviceSpec shipped_gpu() { return read_device_spec(*find_asset("devices/h200.toml")).value(); }

const StepWork* find_step(const std::vector<StepWork>& steps, const StepWork& like) {
  const auto found = std::ranges::find_if(steps, [&](const StepWork& step) {
    return step.phase == like.phase && step.label == like.label;
  });
  return found == steps.end() ? nullptr : &*found;
}

class SolverStepsOfProblem : public testing::TestWithParam<test::SmallInstance> {};

TEST_P(SolverStepsOfProblem, AreThoseOfTheProgram) {
  const test::Made made = test::make(GetParam().problem, GetParam().options);
  const Plan plan = default_plan(made.energy);
  for (const auto preconditioner :
       {no_preconditioner(), jacobi_preconditioner(), block_jacobi_preconditioner()}) {
    ProgramOptions options = program_options({}, made.instance.solver);
    options.linear_solver = pcg_solver();
    options.preconditioner = preconditioner;
    PlanPricer pricer(made.energy, made.instance.binding, {.program = options}, shipped_gpu());
    const ProgramWork work = pricer.price(plan).work;
    const Estimator::Steps steps = pricer.estimator().solver(plan, false);
    EXPECT_GE(steps->size(), 7u);
    for (const StepWork& step : *steps) {
      SCOPED_TRACE(step.label);
      const StepWork* lowered = find_step(work.steps, step);
      ASSERT_NE(lowered, nullptr);
      EXPECT_EQ(step.features.must_read, lowered->features.must_read);
      EXPECT_EQ(step.features.must_write, lowered->features.must_write);
      EXPECT_EQ(step.features.flops.total(), lowered->features.flops.total());
      EXPECT_EQ(step.in_double, lowered->in_double);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, SolverStepsOfProblem,
                         testing::ValuesIn(test::small_instances()));

// The kernel adds to memory once for each point, which the product of a library does not.
TEST(Estimator, ADenseJtJIsMultipliedByItsKernelOrALibrary) {
  const test::Made made = test::make(
      "bundle_fusion", {{"dense", false}, {"frames", 8}, {"width", 16}, {"matches", 20}});
  PlanPricer pricer(made.energy, made.instance.binding, {}, shipped_gpu());
  Plan plan = default_plan(made.energy);
  for (Part& part : plan.parts) part.strategy = Strategy::StoredJtJ;
  const ProgramWork lowered = pricer.price(plan).work;
  const ProgramWork estimated = pricer.estimate(plan).work;
  const StepWork* product =
      find_step(lowered.steps, {.phase = Phase::Apply, .label = "dense_product"});
  ASSERT_NE(product, nullptr);
  const StepWork* estimate = find_step(estimated.steps, *product);
  ASSERT_NE(estimate, nullptr);
  EXPECT_EQ(estimate->features.atomics, product->features.atomics);
  EXPECT_EQ(estimate->features.reads.total(), product->features.reads.total());

  for (Part& part : plan.parts) part.jtj_format = StorageFormat::Dense;
  const ProgramWork of_library = pricer.estimate(plan).work;
  EXPECT_EQ(find_step(of_library.steps, *product), nullptr);
  const PricedPlan price = pricer.price(plan);
  for (const StepWork& step : price.work.steps) {
    if (step.kind != StepWork::Kind::Library || step.phase != Phase::Apply) continue;
    const StepWork* its = find_step(of_library.steps, step);
    ASSERT_NE(its, nullptr) << step.label;
    EXPECT_EQ(its->features.flops.total(), step.features.flops.total());
  }
}

// Pairs of elements that are equally far apart are the same blocks, however many points meet there,
// and of a block those channels count that a residual reads.
TEST(Estimator, CountsTheBlocksOfElementsThatManyPointsReadOnce) {
  const Energy energy = test::cells_energy();
  const Binding binding = test::bind_cells(energy, 10'000, 50);
  PlanPricer pricer(energy, binding, {}, shipped_gpu());
  Plan plan = default_plan(energy);
  plan.parts.front().strategy = Strategy::StoredJtJ;
  plan.parts.front().jtj_format = StorageFormat::Blocks;
  const ProgramWork estimated = pricer.estimate(plan).work;
  const ProgramWork lowered = pricer.price(plan).work;
  for (const StepWork& step : lowered.steps) {
    if (step.label.find("block_jtj") == std::string::npos || step.phase == Phase::ResetApply)
      continue;
    SCOPED_TRACE(step.label);
    const StepWork* estimate = find_step(estimated.steps, step);
    ASSERT_NE(estimate, nullptr);
    const double points = static_cast<double>(step.features.points);
    EXPECT_NEAR(static_cast<double>(estimate->features.points), points, 0.05 * points);
    EXPECT_NEAR(estimate->features.atomics, step.features.atomics, 0.05 * step.features.atomics);
  }
}

PricedPlan price_with(const test::Made& made, const LinearSolver* linear_solver,
                      const Preconditioner* preconditioner) {
  PriceOptions options{.program = {.solver = made.instance.solver.solver,
                                   .preconditioner = preconditioner,
                                   .linear_solver = linear_solver}};
  EXPECT_TRUE(
      suit_program(made.energy, made.instance.binding, made.instance.solver, options.program));
  return price_plan(made.energy, default_plan(made.energy), made.instance.binding, options,
                    shipped_gpu());
}

TEST(PriceOfPlan, HasTheStepsOfTheLinearSolverAndThePreconditioner) {
  test::Made made = test::make("bundle_adjustment", {{"cameras", 4}, {"points", 2000}});
  const PricedPlan pcg = price_with(made, pcg_solver(), block_jacobi_preconditioner());
  const PricedPlan schur = price_with(made, schur_pcg_solver(), block_jacobi_preconditioner());
  EXPECT_GT(schur.prediction.linear_iteration, 1.5 * pcg.prediction.linear_iteration);
  const PricedPlan direct =
      price_with(made, schur_cholesky_solver(), block_jacobi_preconditioner());
  EXPECT_EQ(std::ranges::count(direct.work.steps, StepWork::Kind::DirectSolve, &StepWork::kind), 1);
  made = test::make("poisson_image_editing", {{"size", 256}});
  const PricedPlan jacobi = price_with(made, pcg_solver(), jacobi_preconditioner());
  const PricedPlan multigrid = price_with(made, pcg_solver(), multigrid_preconditioner());
  EXPECT_GT(multigrid.prediction.linear_iteration, jacobi.prediction.linear_iteration);
  EXPECT_NE(find_step(multigrid.work.steps, {.phase = Phase::Update, .label = "multigrid cycle"}),
            nullptr);
}

}  // namespace
}  // namespace thallo
