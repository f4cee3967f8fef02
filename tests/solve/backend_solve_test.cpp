// Whole solves on the host backends, against the same energies solved by Eigen from
// EnergyEvaluator's F and J: equal algorithms must take equal steps.
//
// The interpreter takes all combinations of solvers and products or preconditioners. Where a
// compiler runs for each kernel, some are taken in turn, and with THALLO_SLOW_TESTS all.
#include <gmock/gmock.h>
#include <Eigen/Core>

#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/energy/builder.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/problem/driver.h"
#include "core/schedule/plan.h"
#include "core/schedule/plan_print.h"
#include "core/solve/ending.h"
#include "core/solve/solver.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"
#include "tests/support/in_turn.h"

namespace thallo {
namespace {

using Eigen::VectorXd;
using test::Toy;
using ::testing::HasSubstr;

VectorXd to_eigen(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

struct Result {
  SolverSummary summary;
  VectorXd x;
};

class BackendSolve : public test::BackendTest<> {
 protected:
  template <class Variant>
  static std::vector<Variant> in_turn(const std::vector<Variant>& all, std::size_t number) {
    return GetParam() == "interpreter" ? all : test::in_turn(all, number);
  }

  std::unique_ptr<Executable> compile(const Toy& toy, const SolverOptions& o, bool floats = false) {
    return compile(toy, default_plan(toy.energy), o, floats);
  }
  std::unique_ptr<Executable> compile(const Toy& toy, const Plan& plan, const SolverOptions& o,
                                      bool floats = false) {
    return test::compiled(*backend_, toy.energy, plan, program_options({}, o),
                          {.precision = floats ? Precision::Float : Precision::Double});
  }

  Result run(const Toy& toy, const SolverOptions& o, bool floats = false) {
    return run(toy, default_plan(toy.energy), o, floats);
  }
  Result run(const Toy& toy, const Plan& plan, const SolverOptions& o, bool floats = false) {
    const auto executable = compile(toy, plan, o, floats);
    if (!executable) return {};
    const auto bound = executable->bind(toy.binding);
    EXPECT_TRUE(bound) << bound.error().message();
    return solve_bound(*executable, toy, o);
  }

  static Result solve_bound(Executable& executable, const Toy& toy, const SolverOptions& o) {
    auto summary = solve(executable, o);
    EXPECT_TRUE(summary) << summary.error().message();
    if (!summary) return {};
    Binding result = toy.binding;
    executable.download_unknowns(result);
    return {*std::move(summary), to_eigen(test::unknowns_of(toy.energy, result))};
  }

  static Result reference(const Toy& toy, const SolverOptions& o) {
    const bool jacobi = o.preconditioner != "none";
    test::DenseExecutable executable = test::make_reference(toy.energy, toy.binding, jacobi);
    if (!o.chooses_linear_solver() && own_linear_solvers().find(o.linear_solver)->is_direct())
      executable.make_direct();
    auto summary = solve(executable, o);
    EXPECT_TRUE(summary) << summary.error().message();
    return {*std::move(summary), to_eigen(executable.x())};
  }
};

const std::vector<std::string> preconditioners = {"none", "jacobi", "block_jacobi"};

SolverOptions gn(int iterations, int linear_iterations,
                 const std::string& preconditioner = "jacobi") {
  SolverOptions o;
  o.num_iterations = iterations;
  o.num_linear_iterations = linear_iterations;
  o.preconditioner = preconditioner;
  o.max_step_halvings = 0;
  return o;
}

SolverOptions lm(int iterations, int linear_iterations,
                 const std::string& preconditioner = "jacobi") {
  SolverOptions o = gn(iterations, linear_iterations, preconditioner);
  o.solver = SolverKind::LevenbergMarquardt;
  o.max_step_lengthening = 1;
  o.max_radius_growth = 3;
  return o;
}

SolverOptions dense(SolverOptions o) {
  o.linear_solver = "dense";
  return o;
}

SolverOptions sparse(SolverOptions o) {
  o.linear_solver = "sparse_cholesky";
  return o;
}

// Every record of two solves, up to rounding.
void expect_same_steps(const SolverSummary& a, const SolverSummary& b, double tolerance) {
  ASSERT_EQ(a.iterations.size(), b.iterations.size());
  EXPECT_EQ(a.termination, b.termination);
  for (std::size_t i = 0; i < a.iterations.size(); ++i) {
    const IterationRecord& l = a.iterations[i];
    const IterationRecord& r = b.iterations[i];
    const double cost_scale = tolerance * b.initial_cost;
    EXPECT_NEAR(l.cost, r.cost, cost_scale) << i;
    EXPECT_NEAR(l.cost_change, r.cost_change, cost_scale) << i;
    EXPECT_NEAR(l.gradient_max, r.gradient_max, tolerance * b.iterations[1].gradient_max) << i;
    EXPECT_NEAR(l.step_norm, r.step_norm, tolerance * b.iterations[1].step_norm) << i;
    EXPECT_EQ(l.accepted, r.accepted) << i;
    EXPECT_EQ(l.linear_iterations, r.linear_iterations) << i;
    EXPECT_NEAR(l.radius, r.radius, 1e-4 * r.radius) << i;
  }
}

TEST_P(BackendSolve, QuadraticIsSolvedInOneGaussNewtonStepWhateverTheLinearSolver) {
  const Toy toy = test::make_smoothing(40);
  const VectorXd expected = reference(toy, dense(gn(1, 0))).x;
  for (const auto preconditioner : {"none", "jacobi", "block_jacobi"}) {
    const Result pcg = run(toy, gn(1, 80, preconditioner));
    EXPECT_LT((pcg.x - expected).norm(), 1e-9 * expected.norm()) << preconditioner;
  }
  EXPECT_LT((run(toy, dense(gn(1, 0))).x - expected).norm(), 1e-12 * expected.norm());
}

TEST_P(BackendSolve, TakesTheStepsOfTheReference) {
  const Toy toy = test::make_two_spaces(3, 5, 20);
  for (const SolverOptions& o : {gn(4, 6, "none"), gn(4, 6), lm(15, 12, "none"), lm(15, 12),
                                 dense(gn(5, 0)), dense(lm(15, 0))}) {
    const Result ours = run(toy, o), expected = reference(toy, o);
    expect_same_steps(ours.summary, expected.summary, 1e-9);
    EXPECT_LT((ours.x - expected.x).norm(), 1e-8 * expected.x.norm());
  }
}

TEST_P(BackendSolve, TakesTheSameStepsWhereSomeUnknownsAreGatheredAt) {
  const Toy toy = test::make_two_spaces(3, 5, 20);
  const std::vector<Strategy> strategies = {Strategy::JtJp, Strategy::StoredJp, Strategy::StoredJ};
  std::size_t number = 0;
  for (const SolverOptions& o : {gn(4, 6), lm(15, 12)}) {
    const Result expected = run(toy, o);
    for (const std::size_t space : {0, 1}) {
      for (const Strategy strategy : in_turn(strategies, number++)) {
        Plan plan = default_plan(toy.energy);
        Part& project = *find_part(plan, "project");
        project.strategy = strategy;
        project.jtf = project.jtjp = project.jt = ComputeAt::output_of({space});
        SCOPED_TRACE(to_string(toy.energy, plan));
        const Result ours = run(toy, plan, o);
        expect_same_steps(ours.summary, expected.summary, 1e-9);
        EXPECT_LT((ours.x - expected.x).norm(), 1e-8 * expected.x.norm());
      }
    }
  }
}

// A J of 1e5 is infinite in a half.
Toy make_steep() {
  EnergyBuilder e("steep");
  const DimId n = e.dim("N");
  const auto x = e.unknown("X", {n});
  const auto a = e.array("A", {n});
  const auto i = e.domain(n);
  e.residual("fit", {a(i) * x(i)});
  Energy energy = std::move(e).build().value();
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("N", 2) && binding.set_field("X", std::vector{1.0, 2.0}) &&
              binding.set_field("A", std::vector{1.0, 1e5}));
  return {std::move(energy), std::move(binding)};
}

TEST_P(BackendSolve, SaysWhichStoredProductHalvesDoNotHold) {
  const Toy toy = make_steep();
  Plan plan = default_plan(toy.energy);
  plan.parts.front().strategy = Strategy::StoredJ;
  plan.parts.front().j_type = ScalarType::Half;
  for (const SolverOptions& o : {gn(3, 5), lm(3, 5), lm(60, 5)}) {
    const SolverSummary summary = run(toy, plan, o).summary;
    EXPECT_FALSE(summary.converged());
    EXPECT_EQ(summary.final_cost, summary.initial_cost);
    EXPECT_EQ(summary.termination, Termination::HalfOverflow) << summary.brief();
    EXPECT_THAT(summary.why(),
                testing::AllOf(testing::HasSubstr("J of r.fit is kept in halves"),
                               testing::HasSubstr("1 of its 2 values are beyond"),
                               testing::HasSubstr("choose \"single\" or \"working\"")));
    EXPECT_THAT(summary.full(), testing::HasSubstr(summary.why()));
  }
}

TEST_P(BackendSolve, RejectedStepsAreTakenBack) {
  // From here the full step overshoots, so that the radius shrinks several times first.
  Toy toy = test::make_curve();
  ASSERT_TRUE(toy.binding.set_field("b", std::vector<double>{1, 1}));
  SolverOptions o = dense(lm(60, 0));
  o.function_tolerance = 1e-12;
  const Result ours = run(toy, o), expected = reference(toy, o);
  EXPECT_GT(ours.summary.num_rejected, 0);
  EXPECT_EQ(ours.summary.num_rejected, expected.summary.num_rejected);
  EXPECT_NEAR(ours.summary.final_cost, expected.summary.final_cost,
              1e-9 * expected.summary.final_cost);
}

// Schedules say what PCG does in an iteration; direct solvers take the same steps under all of
// them.
TEST_P(BackendSolve, SparseCholeskyTakesTheStepsOfTheDenseSolverAlsoInFloat) {
  const std::vector<Strategy> strategies = {Strategy::JtJp, Strategy::StoredJ, Strategy::StoredJtJ,
                                            Strategy::StoredJtJOfStoredJ};
  std::size_t number = 0;
  for (const Toy& toy : {test::make_two_spaces(3, 5, 20), test::make_smoothing(30, true)}) {
    for (const SolverOptions& o : {gn(5, 0), lm(15, 0)}) {
      const Result expected = run(toy, dense(o));
      for (const Strategy strategy : in_turn(strategies, number++)) {
        Plan plan = default_plan(toy.energy);
        for (Part& part : plan.parts) part.strategy = strategy;
        const Result ours = run(toy, plan, sparse(o));
        expect_same_steps(ours.summary, expected.summary, 1e-9);
        EXPECT_LT((ours.x - expected.x).norm(), 1e-8 * expected.x.norm());
      }
    }
  }
  const Toy toy = test::make_two_spaces(3, 5, 20);
  const Result ours = run(toy, sparse(lm(15, 0)), true),
               expected = run(toy, dense(lm(15, 0)), true);
  EXPECT_NEAR(ours.summary.final_cost, expected.summary.final_cost,
              1e-4 * expected.summary.initial_cost);
}

TEST_P(BackendSolve, DenseFindsCertifiedParameters) {
  const Toy toy = test::make_curve();
  SolverOptions o = dense(lm(100, 0));
  o.function_tolerance = 1e-15;
  const Result ours = run(toy, o);
  EXPECT_NEAR(ours.x[0], 2.1380940889e2, 1e-5);
  EXPECT_NEAR(ours.x[1], 5.4723748542e-1, 1e-8);
  EXPECT_NEAR(2 * ours.summary.final_cost, 1.1680088766e3, 1e-6);
}

TEST_P(BackendSolve, BlockJacobiIsExactWhereElementsDoNotMeetAndReachesTheSameMinimum) {
  // One element: its block is all of JtJ (+ D), and one linear iteration is a direct solve.
  Toy toy = test::make_curve();
  for (SolverOptions o : {gn(6, 1, "block_jacobi"), lm(15, 1, "block_jacobi")}) {
    o.q_tolerance = 0;  // so that pcg, too, needs no second step to confirm that the cost settled
    const Result ours = run(toy, o), expected = reference(toy, dense(o));
    expect_same_steps(ours.summary, expected.summary, 1e-7);
  }
  toy = test::make_two_spaces(3, 5, 20);
  SolverOptions o = lm(30, 50);
  o.function_tolerance = 1e-13;
  const Result jacobi = run(toy, o);
  o.preconditioner = "block_jacobi";
  const Result blocks = run(toy, o);
  EXPECT_NEAR(blocks.summary.final_cost, jacobi.summary.final_cost,
              1e-7 * jacobi.summary.final_cost);
  EXPECT_EQ(blocks.summary.num_failed_blocks, 0);
}

TEST_P(BackendSolve, BlocksWithoutResidualsFallBackToTheirDiagonalAndAreCounted) {
  const LogCapture log;
  const Result ours = run(test::make_unseen(), gn(3, 5, "block_jacobi"));
  EXPECT_EQ(ours.summary.num_failed_blocks, 3 * 4);
  // Whoever runs many solves counts them, rather than warning of each.
  EXPECT_TRUE(log.records().empty());
}

TEST_P(BackendSolve, ResidualResetUsesTheTrueOperator) {
  // The published solver left JtJ out of the reset; then these would differ from the second on.
  const Toy toy = test::make_two_spaces(3, 5, 20);
  for (const int period : {1, 2, 3, 5}) {
    SolverOptions o = lm(6, 11);
    o.q_tolerance = 0;
    o.residual_reset_period = period;
    const Result ours = run(toy, o), expected = reference(toy, o);
    expect_same_steps(ours.summary, expected.summary, 1e-8);
  }
}

// In the loop of the linear solve, unrolled and with residual resets.
TEST_P(BackendSolve, EveryStorageTakesTheStepsOfTheReference) {
  struct Stored {
    Strategy strategy;
    StorageFormat j, jtj;
  };
  using enum StorageFormat;
  const Toy toy = test::make_two_spaces(3, 5, 20);
  SolverOptions o = lm(6, 11);
  o.q_tolerance = 0;
  o.residual_reset_period = 3;
  const Result expected = reference(toy, o);
  for (const Stored& stored :
       {Stored{Strategy::StoredJ, Csr, Structured}, Stored{Strategy::StoredJ, Dense, Structured},
        Stored{Strategy::StoredJtJ, Structured, Dense},
        Stored{Strategy::StoredJtJ, Structured, Csr},
        Stored{Strategy::StoredJtJOfStoredJ, Csr, Dense},
        Stored{Strategy::StoredJtJOfStoredJ, Structured, Csr}}) {
    Plan plan = default_plan(toy.energy);
    for (Part& part : plan.parts) {
      part.strategy = stored.strategy;
      part.j_format = stored.j;
      part.jtj_format = stored.jtj;
    }
    SCOPED_TRACE(to_string(toy.energy, plan));
    expect_same_steps(run(toy, plan, o).summary, expected.summary, 1e-8);
  }
}

TEST_P(BackendSolve, ExcludedUnknownsNeverChange) {
  const Toy toy = test::make_smoothing(20, true);
  const VectorXd start = to_eigen(test::unknowns_of(toy.energy, toy.binding));
  std::size_t number = 0;
  for (const auto& base : {gn(2, 60), lm(10, 60)}) {
    for (const bool is_dense : {false, true}) {
      for (const std::string& preconditioner : in_turn(preconditioners, number++)) {
        SolverOptions o = base;
        o.preconditioner = preconditioner;
        if (is_dense) o = dense(o);
        const Result ours = run(toy, o);
        const Result expected = reference(toy, dense(base));
        for (Eigen::Index i = 1; i < start.size(); i += 3) EXPECT_EQ(ours.x[i], start[i]) << i;
        EXPECT_LT((ours.x - expected.x).norm(), 1e-3 * expected.x.norm());
        EXPECT_GT((ours.x - start).norm(), 1);
      }
    }
  }
}

TEST_P(BackendSolve, UnknownsThatNothingSeesStay) {
  const LogCapture expected_warnings;
  const Toy toy = test::make_unseen();
  std::size_t number = 0;
  for (const auto& base : {gn(3, 5), lm(20, 5), dense(gn(3, 0)), dense(lm(20, 0)), sparse(gn(3, 0)),
                           sparse(lm(20, 0))}) {
    for (const std::string& preconditioner : in_turn(preconditioners, number++)) {
      SolverOptions o = base;
      o.preconditioner = preconditioner;
      const Result ours = run(toy, o);
      EXPECT_NEAR(ours.x[0], 3, 1e-9);
      for (Eigen::Index i = 1; i < 5; ++i) EXPECT_EQ(ours.x[i], static_cast<double>(i));
    }
  }
}

TEST_P(BackendSolve, SingularSystemsAndGradientsThatAreNoNumberAreSaid) {
  Toy toy = test::make_underdetermined();
  for (const SolverOptions& o : {gn(3, 2), lm(30, 2), dense(lm(30, 0)), sparse(lm(30, 0))}) {
    const Result ours = run(toy, o);
    EXPECT_NEAR(ours.x[0], 1.5, 1e-6);  // the nearest solution
    EXPECT_NEAR(ours.x[1], -0.5, 1e-6);
  }
  for (const SolverOptions& o : {dense(gn(3, 0)), sparse(gn(3, 0))}) {
    const Result failed = run(toy, o);
    EXPECT_EQ(failed.summary.termination, Termination::LinearSolveFailed);
    EXPECT_EQ(failed.x, Eigen::Vector2d(3, 1));
  }
  toy = test::make_distance();
  for (SolverOptions o : {gn(3, 2), lm(30, 2), dense(gn(3, 0)), dense(lm(30, 0)), sparse(gn(3, 0)),
                          sparse(lm(30, 0))}) {
    EXPECT_EQ(run(toy, o).summary.termination, Termination::LinearSolveFailed);
    o.gradient_tolerance = 1e-3;
    EXPECT_EQ(run(toy, o).summary.termination, Termination::LinearSolveFailed);
  }
}

TEST_P(BackendSolve, ATinyStepIsAStepInFloatToo) {
  // Its square is no float: |x| stays at 1e-30 and the solution is 0.
  const Toy toy = test::make_smoothing(1);
  Toy tiny = toy;
  ASSERT_TRUE(tiny.binding.set_field("X", std::vector<double>{1e-30}));
  ASSERT_TRUE(tiny.binding.set_field("A", std::vector<double>{0}));
  const Result ours = run(tiny, dense(gn(1, 0)), true);
  EXPECT_EQ(ours.summary.termination, Termination::MaxIterations);
  EXPECT_NEAR(ours.summary.iterations.back().step_norm, 1e-30, 1e-36);
}

TEST_P(BackendSolve, EmptyDomainsAreSolved) {
  const Toy toy = test::make_two_spaces(2, 2, 0);
  const Result ours = run(toy, lm(20, 10));
  EXPECT_NEAR(ours.summary.final_cost, 0, 1e-12);
  const Toy nothing = test::make_smoothing(0);
  for (const auto& o : {gn(3, 5), lm(3, 5), sparse(lm(3, 0))}) {
    const Result empty = run(nothing, o);
    EXPECT_EQ(empty.summary.final_cost, 0);
    EXPECT_EQ(empty.x.size(), 0);
  }
}

TEST_P(BackendSolve, GradientToleranceEndsAtAStationaryPoint) {
  const Toy toy = test::make_two_spaces(3, 5, 20);
  for (SolverOptions o : {gn(50, 60), lm(50, 60)}) {
    o.function_tolerance = 0;
    o.gradient_tolerance = 1e-6;
    o.q_tolerance = 1e-8;
    const Result ours = run(toy, o);
    EXPECT_EQ(ours.summary.termination, Termination::GradientTolerance);
    EXPECT_LE(ours.summary.final_gradient_max, 1e-6);
  }
  // What is nothing beside d at the start may outweigh it by far where the solve ends.
  SolverOptions o = dense(lm(100, 0));
  o.function_tolerance = 0;
  o.trust_region_radius = o.max_trust_region_radius = 1;
  EXPECT_NEAR(run(test::make_root(1e6), o).x[0], std::sqrt(2), 1e-9);
}

TEST_P(BackendSolve, ParameterToleranceEndsWhenStepsAreSmall) {
  Toy toy = test::make_unseen();
  ASSERT_TRUE(toy.binding.set_field("b", std::vector<double>{0, 1e9, 2, 3, 4}));
  SolverOptions o = dense(lm(20, 0));
  o.function_tolerance = 0;
  o.parameter_tolerance = 1e-8;
  EXPECT_NEAR(run(toy, o).x[0], 3, 1e-7);
  toy = test::make_two_spaces(3, 5, 20);
  o = lm(100, 60);
  o.function_tolerance = 0;
  o.parameter_tolerance = 1e-7;
  o.q_tolerance = 1e-8;
  const Result ours = run(toy, o);
  EXPECT_EQ(ours.summary.termination, Termination::ParameterTolerance);
  EXPECT_LE(ours.summary.iterations.back().step_norm, 1e-7 * (ours.x.norm() + 1e-7) * 1.01);
}

TEST_P(BackendSolve, ResidualToleranceOrFloatEndsTheLinearSolve) {
  const Toy toy = test::make_smoothing(50);
  SolverOptions o = gn(1, 1000);
  o.residual_tolerance = 1e-4;
  Result ours = run(toy, o), expected = reference(toy, o);
  EXPECT_LT(ours.summary.num_linear_iterations, 60);
  EXPECT_EQ(ours.summary.num_linear_iterations, expected.summary.num_linear_iterations);
  // Beyond some 100 iterations r would underflow, and the step be no number.
  ours = run(test::make_smoothing(50), gn(2, 1000), true);
  EXPECT_EQ(ours.summary.termination, Termination::MaxIterations);
  EXPECT_LT(ours.summary.num_linear_iterations, 2 * 300);
  EXPECT_LT(ours.summary.final_cost, ours.summary.initial_cost);
}

TEST_P(BackendSolve, HalvedStepsLowerTheCostAndWholeStepsEndAtTheBestPoint) {
  SolverOptions o = gn(50, 10);
  o.function_tolerance = 1e-10;
  const Toy toy = test::make_root(0.01);
  EXPECT_GT(run(toy, gn(1, 10)).summary.final_cost, 1e6);
  o.max_step_halvings = 20;
  const Result halved = run(toy, o);
  EXPECT_EQ(halved.summary.termination, Termination::ZeroCost);
  EXPECT_NEAR(halved.x[0], std::sqrt(2.0), 1e-6);
  o = gn(3, 10);
  o.function_tolerance = 1e-10;
  const Result ours = run(toy, o);
  EXPECT_EQ(ours.summary.num_accepted, 3);
  EXPECT_EQ(ours.x[0], 0.01);
  EXPECT_EQ(ours.summary.final_cost, ours.summary.initial_cost);
  EXPECT_GT(ours.summary.left_cost.value_or(0), 1e3 * ours.summary.initial_cost);
  EXPECT_EQ(ending_of(ours.summary), Ending::Diverged);
}

TEST_P(BackendSolve, FloatReachesTheCostOfDoubleAndSurvivesQuotientsOfLargeNumbers) {
  const Toy toy = test::make_two_spaces(3, 5, 20);
  for (const SolverOptions& o : {lm(8, 20), lm(8, 20, "block_jacobi")}) {
    const Result in_double = run(toy, o), in_float = run(toy, o, true);
    EXPECT_NEAR(in_float.summary.final_cost, in_double.summary.final_cost,
                1e-4 * in_double.summary.final_cost);
  }
  // d = (x/z)^2 ((x/z)^2 + (y/z)^2)^4 is 16; x^10 is no float.
  const Result ours = run(test::make_far_points(), gn(1, 1), true);
  ASSERT_EQ(ours.x.size(), 1);
  EXPECT_NEAR(ours.x[0], 0.75, 1e-6);
}

TEST_P(BackendSolve, NextSolveOfTheSameExecutableRepeatsTheFirst) {
  const Toy toy = test::make_two_spaces(3, 5, 20);
  const SolverOptions o = lm(15, 12);
  const auto executable = compile(toy, o);
  ASSERT_TRUE(executable);
  ASSERT_TRUE(executable->bind(toy.binding));
  const Result first = solve_bound(*executable, toy, o);
  ASSERT_TRUE(executable->bind(toy.binding));
  const Result second = solve_bound(*executable, toy, o);
  expect_same_steps(second.summary, first.summary, 1e-12);
}

TEST_P(BackendSolve, OtherSizesNeedNoCompilation) {
  const Toy small = test::make_two_spaces(3, 5, 20), large = test::make_two_spaces(4, 7, 40);
  const SolverOptions o = lm(15, 12);
  const auto executable = compile(small, o);
  ASSERT_TRUE(executable);
  for (const Toy* toy : {&small, &large, &small}) {
    ASSERT_TRUE(executable->bind(toy->binding));
    expect_same_steps(solve_bound(*executable, *toy, o).summary, reference(*toy, o).summary, 1e-8);
  }
}

// Without data weight this is a chain of springs: conjugate gradients need as many iterations as it
// has links before one end knows of the other.
TEST_P(BackendSolve, TimeLimitEndsALinearSolve) {
  Toy toy = test::make_smoothing(GetParam() == "interpreter" ? 2'000 : 100'000);
  ASSERT_TRUE(toy.binding.set_param("w", 0.0));
  SolverOptions o = gn(1, 1'000'000'000);
  o.max_solver_time_in_seconds = 0.3;
  const Result limited = run(toy, o);
  EXPECT_EQ(limited.summary.termination, Termination::TimeLimit);
  EXPECT_GT(limited.summary.num_linear_iterations, 0);
  EXPECT_LT(limited.summary.final_cost, limited.summary.initial_cost);
}

TEST_P(BackendSolve, StartThatIsNotFiniteIsRefused) {
  Toy toy = test::make_curve();
  ASSERT_TRUE(toy.binding.set_field("b", std::vector<double>{1, -1e4}));
  const SolverOptions o = dense(lm(3, 0));
  const auto executable = compile(toy, o);
  ASSERT_TRUE(executable);
  ASSERT_TRUE(executable->bind(toy.binding));
  const auto summary = solve(*executable, o);
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().what, HasSubstr("the cost of 'curve' at the start is inf"));
}

INSTANTIATE_TEST_SUITE_P(Host, BackendSolve, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace thallo
