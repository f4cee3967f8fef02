// Linear solvers that plugins outside of the tree provide, a direct and an iterative one, and a
// preconditioner: their options and help, and solves.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/embed/energy_solver.h"
#include "core/plugin/session.h"
#include "core/problem/driver.h"
#include "core/solve/ending.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;

// A smooth curve near given values, some of which are not the unknowns' to change.
constexpr const char* SmoothLua = R"(local W = Dim("W")
Inputs { X = Unknown(float, {W}), A = Array(float, {W}) }
local x = W()
X:Exclude(eq(x:asvalue(), 0))
Residuals {
  fit = X(x) - A(x),
  smooth = Select(InBounds(x + 1), X(x) * X(x) - X(x + 1), 0)
}
)";

class PluginSolver : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("smooth.lua", SmoothLua);
    folder_.write("values.csv", "value\n1\n0.5\n0.75\n1.25\n0.25\n1\n0.5\n0.875\n");
    folder_.write("smooth.toml", "double = true\n[bind]\nX = \"ones\"\nA = \"values.csv:value\"\n");
  }

  Expected<thallo::Run> solve(const std::string& linear_solver,
                              const std::string& backend = "interpreter",
                              const std::string& preconditioner = "unset") {
    RunRequest request;
    request.backend = backend;
    request.constructs = &session_.constructs();
    request.parts = session_.solver_parts();
    request.solver_options = {
        {"solver", "lm"}, {"linear_solver", linear_solver}, {"preconditioner", preconditioner}};
    if (linear_solver != "sparse_cholesky" && linear_solver != "gauss_seidel")
      request.solver_options.insert(request.solver_options.end(),
                                    {{"lIterations", "100"}, {"q_tolerance", "1e-10"}});
    const auto problem = session_.problems().lookup("smooth");
    if (!problem) return fail(problem.error());
    return solve_problem(**problem, request);
  }

  test::ScopedEnv path_{"THALLO_PLUGIN_PATH", nullptr};
  test::TempDir folder_;
  Session session_{{folder_.path().string(), THALLO_TEST_SOLVERS}};
};

TEST_F(PluginSolver, TakesTheStepsOfOurOwn) {
  const auto ours = solve("sparse_cholesky");
  ASSERT_TRUE(ours) << ours.error().message();
  const auto theirs = solve("gauss_seidel");
  ASSERT_TRUE(theirs) << theirs.error().message();
  const SolverSummary& a = ours->solution.solves.front();
  const SolverSummary& b = theirs->solution.solves.front();
  EXPECT_LT(a.final_cost, 0.9 * a.initial_cost);
  ASSERT_EQ(a.iterations.size(), b.iterations.size());
  for (std::size_t i = 0; i < a.iterations.size(); ++i)
    EXPECT_NEAR(a.iterations[i].cost, b.iterations[i].cost, 1e-10 * a.initial_cost) << i;
  EXPECT_EQ(b.options.linear_solver, "gauss_seidel");
}

// Its third factorization fails.
TEST_F(PluginSolver, KeepsWhatWasReachedWhenItFails) {
  for (const std::string backend : {"interpreter", "cpu"}) {
    const auto run = solve("breaks", backend);
    ASSERT_TRUE(run) << run.error().message();
    const SolverSummary& summary = run->solution.solves.front();
    EXPECT_EQ(summary.termination, Termination::DeviceFailed);
    EXPECT_EQ(ending_of(summary), Ending::Failed);
    EXPECT_EQ(summary.why(), "the device or a library failed: breakDown: LOST (7)");
    ASSERT_EQ(summary.iterations.size(), 3u);
    EXPECT_EQ(summary.num_accepted, 2);
    EXPECT_EQ(summary.final_cost, summary.iterations.back().cost);
    EXPECT_LT(summary.final_cost, summary.initial_cost);
  }
}

TEST_F(PluginSolver, LeavesWhatWasReachedToAProgramThatEmbedsIt) {
  const test::ScopedEnv plugins("THALLO_PLUGIN_PATH", THALLO_TEST_SOLVERS);
  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  options.linear_solver = "breaks";
  for (const bool steps : {false, true}) {
    auto solver = EnergySolver::load_text(SmoothLua, "smooth.lua", {.backend = "interpreter"});
    ASSERT_TRUE(solver) << solver.error().message();
    std::vector<double> x(8, 1), a{1, 0.5, 0.75, 1.25, 0.25, 1, 0.5, 0.875};
    solver->bind("X", x).bind("A", a);
    if (steps) {
      ASSERT_TRUE(solver->begin(options));
      while (solver->step().value()) {
      }
    }
    const auto summary = steps ? solver->finish() : solver->solve(options);
    ASSERT_FALSE(summary);
    EXPECT_THAT(summary.error().message(), HasSubstr("breakDown: LOST (7); the unknowns have"));
    EXPECT_THAT(x, testing::Contains(testing::Ne(1)));
  }
}

// By kernels of its own, which every backend runs, and as products that the schedule decides about.
TEST_F(PluginSolver, IteratesInAWayOfItsOwnAndWithAPreconditioner) {
  for (const std::string backend : {"interpreter", "cpu"}) {
    const auto conjugate = solve("pcg", backend);
    ASSERT_TRUE(conjugate) << conjugate.error().message();
    const auto steepest = solve("steepest_descent", backend);
    ASSERT_TRUE(steepest) << steepest.error().message();
    const SolverSummary& a = conjugate->solution.solves.front();
    const SolverSummary& b = steepest->solution.solves.front();
    EXPECT_EQ(b.options.linear_solver, "steepest_descent");
    EXPECT_FALSE(b.solved_directly);
    EXPECT_NEAR(b.final_cost, a.final_cost, 1e-4 * a.initial_cost);
    EXPECT_GT(b.iterations.at(1).linear_iterations, a.iterations.at(1).linear_iterations)
        << "it does not keep directions apart";
    EXPECT_THAT(b.full(), HasSubstr("lIterations"));
  }
  for (const std::string backend : {"interpreter", "cpu"}) {
    const auto none = solve("pcg", backend, "none");
    ASSERT_TRUE(none) << none.error().message();
    const auto scaled = solve("pcg", backend, "scaled_identity");
    ASSERT_TRUE(scaled) << scaled.error().message();
    const SolverSummary& a = none->solution.solves.front();
    const SolverSummary& b = scaled->solution.solves.front();
    EXPECT_EQ(b.options.preconditioner, "scaled_identity");
    EXPECT_EQ(b.num_linear_iterations, a.num_linear_iterations);
    EXPECT_NEAR(b.final_cost, a.final_cost, 1e-10 * a.initial_cost);
    EXPECT_LT(b.final_cost, 0.9 * b.initial_cost);
  }
  const auto refused = solve("schur_pcg", "interpreter", "scaled_identity");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("no preconditioner scaled_identity"));
}

TEST_F(PluginSolver, IsAValueOfTheOptionAndInItsHelp) {
  const auto infos = solver_option_infos(session_.solver_parts());
  const auto info = std::ranges::find(infos, "linear_solver", &SolverOptionInfo::name);
  ASSERT_NE(info, infos.end());
  EXPECT_THAT(info->legal, HasSubstr("dense, gauss_seidel, "));
  EXPECT_THAT(info->legal, HasSubstr("sparse_cholesky, steepest_descent, "));
  EXPECT_THAT(info->doc, HasSubstr("gauss_seidel: sweeps over the rows of a sparse JtJ"));
  const auto wrong = solve("gauss_sidel");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("gauss_seidel"));
}

}  // namespace
}  // namespace thallo
