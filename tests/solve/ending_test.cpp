#include "core/solve/ending.h"

#include <gmock/gmock.h>

#include <limits>

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

SolverSummary ended(Termination termination, double from, double to,
                    SolverKind solver = SolverKind::LevenbergMarquardt) {
  SolverSummary summary;
  summary.options.solver = solver;
  summary.termination = termination;
  summary.initial_cost = summary.initial_minimized_cost = from;
  summary.final_cost = summary.final_minimized_cost = to;
  summary.num_iterations = summary.num_accepted = 2;
  summary.iterations = {{.iteration = 0},
                        {.iteration = 1, .linear_iterations = 3},
                        {.iteration = 2, .cost_change = 0.5, .linear_iterations = 3}};
  return summary;
}

TEST(Ending, IsOneOfFourAndOfSeveralSolvesTheWorst) {
  EXPECT_EQ(ending_of(ended(Termination::FunctionTolerance, 2, 1)), Ending::Converged);
  EXPECT_EQ(ending_of(ended(Termination::MaxIterations, 2, 1)), Ending::Stopped);
  EXPECT_EQ(ending_of(ended(Termination::Cancelled, 2, 1)), Ending::Stopped);
  EXPECT_EQ(ending_of(ended(Termination::MaxIterations, 1, 4000)), Ending::Diverged);
  EXPECT_EQ(ending_of(ended(Termination::FunctionTolerance, 1, 4000)), Ending::Diverged);
  EXPECT_EQ(ending_of(ended(Termination::NonFiniteStep, 1, 4000)), Ending::Failed);
  // The last digits of a float.
  EXPECT_EQ(ending_of(ended(Termination::MaxIterations, 1, 1.000001)), Ending::Stopped);
  SolverSummary summary = ended(Termination::MaxIterations, 1e-31, 3e-31);
  summary.num_residuals = 100;
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
  summary.final_minimized_cost = 1e-11;
  EXPECT_EQ(ending_of(summary), Ending::Diverged);
  const SolverSummary converged = ended(Termination::FunctionTolerance, 2, 1);
  const SolverSummary diverged = ended(Termination::MaxIterations, 1, 2);
  EXPECT_EQ(ending_of({converged, diverged, converged}), Ending::Diverged);
  EXPECT_EQ(ending_of({converged, converged}), Ending::Converged);
  EXPECT_EQ(ending_of(std::vector<SolverSummary>()), Ending::Failed);
}

TEST(Ending, HasNoWarningOfWhatConvergesOrIsFixed) {
  EXPECT_THAT(warnings_of(ended(Termination::FunctionTolerance, 2, 1)), IsEmpty());
  const auto published = ended(Termination::MaxIterations, 2, 1, SolverKind::GaussNewton);
  EXPECT_THAT(warnings_of(published), IsEmpty());
  SolverSummary summary = ended(Termination::MaxIterations, 2, 1);
  summary.iterations.back().cost_change = -1e-6;
  EXPECT_THAT(warnings_of(summary), IsEmpty());
}

TEST(Ending, WarnsWhereNothingIsSolvedForOrNoStepWasAccepted) {
  SolverSummary summary = ended(Termination::ZeroGradient, 2, 2);
  summary.num_unknowns = 6;
  summary.num_free_unknowns = 1;
  EXPECT_THAT(warnings_of(summary), IsEmpty());
  summary.num_free_unknowns = 0;
  EXPECT_THAT(warnings_of(summary),
              ElementsAre("all 6 unknowns are excluded, so there was nothing to solve for"));
  summary = ended(Termination::MinTrustRegionRadius, 1, 1);
  summary.num_accepted = 0;
  EXPECT_THAT(warnings_of(summary), ElementsAre(HasSubstr("no step lowered the cost")));
  // That the solve failed says why.
  summary.termination = Termination::NonFiniteStep;
  EXPECT_THAT(warnings_of(summary), IsEmpty());
}

TEST(Ending, IsNoConvergenceOfASolveThatWentBackOrMeetsAnEdge) {
  SolverSummary summary = ended(Termination::MaxIterations, 2, 2, SolverKind::GaussNewton);
  summary.left_cost = 5;
  EXPECT_EQ(ending_of(summary), Ending::Diverged);
  EXPECT_THAT(warnings_of(summary),
              ElementsAre(HasSubstr("the cost rose from 2 to 5, and the best point is kept")));
  summary.left_cost = 1.5;
  summary.final_minimized_cost = 1;
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
  summary = ended(Termination::FunctionTolerance, 2, 1);
  summary.iterations[1].step_norm = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ending_of(summary), Ending::Converged) << "a step may go too far on the way";
  summary.final_gradient_cosine = 0.5;
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
  EXPECT_THAT(warnings_of(summary), ElementsAre(HasSubstr("to where a residual is not finite")));
  summary.termination = Termination::ZeroCost;
  EXPECT_EQ(ending_of(summary), Ending::Converged);
}

// As with lIterations = 0, or with a trust region that is too small for any step.
TEST(Ending, WhereStepsAreHeldFarFromAMinimumIsNoConvergence) {
  SolverSummary summary = ended(Termination::FunctionTolerance, 2, 2);
  summary.num_accepted = 0;
  summary.final_gradient_cosine = 0.4;
  summary.options.named = {"lIterations", "solver"};
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
  EXPECT_THAT(warnings_of(summary),
              ElementsAre("steps became too short to lower the cost, and this is no minimum: "
                          "lIterations may hold them, or a derivative may be off (thallo check)"));
  summary.options.named.clear();
  EXPECT_THAT(warnings_of(summary), ElementsAre(HasSubstr("no minimum: a derivative may be off")));
  summary.holds_weights = true;
  EXPECT_EQ(ending_of(summary), Ending::Converged) << "a kink of L_p";
}

TEST(Ending, OfAStepThatWasRefusedIsNoConvergence) {
  SolverSummary summary = ended(Termination::NoDecrease, 2, 1, SolverKind::GaussNewton);
  summary.final_gradient_cosine = 0.1;
  summary.refused_decrease = 1e-7;
  EXPECT_EQ(ending_of(summary), Ending::Converged);
  for (const double promised : {0.5, -1e-9}) {
    summary.refused_decrease = promised;
    EXPECT_EQ(ending_of(summary), Ending::Stopped) << promised;
    EXPECT_THAT(warnings_of(summary), ElementsAre(HasSubstr("lowers the cost nowhere")));
  }
  summary.final_gradient_cosine = 1e-6;
  EXPECT_EQ(ending_of(summary), Ending::Converged);
  summary = ended(Termination::ParameterTolerance, 2, 1);
  summary.knows_minimized_cost = false;
  summary.num_rejected = 3;
  EXPECT_EQ(ending_of(summary), Ending::Converged) << "the gradient is small";
  summary.final_gradient_cosine = 0.02;
  EXPECT_EQ(ending_of(summary), Ending::Stopped);
  EXPECT_THAT(warnings_of(summary), ElementsAre(HasSubstr("Constant parts that change")));
}

// Each step lowers what it was made for; then the weights of L_p change.
TEST(Ending, WarnsOfWeightsThatStepsHoldAndACostThatRose) {
  SolverSummary summary = ended(Termination::MaxIterations, 1, 2, SolverKind::GaussNewton);
  summary.holds_weights = true;
  EXPECT_THAT(warnings_of(summary), ElementsAre(HasSubstr("holds the weights of L_p")));
  EXPECT_THAT(
      warnings_of(ended(Termination::MaxIterations, 1, 2, SolverKind::GaussNewton)),
      ElementsAre(HasSubstr("the cost rose from 1 to 2: steps of Gauss-Newton went too far; "
                            "the option 'solver=lm' damps them")));
  EXPECT_THAT(
      warnings_of(ended(Termination::MaxIterations, 2, 1)),
      ElementsAre(HasSubstr("nIterations = 10 ended the solve before it converged; its last "
                            "step changed the cost by 5.0e-01 of 1")));
}

TEST(Ending, WarnsOfPcgAtItsLimitWhereATestCouldHaveEndedIt) {
  SolverSummary summary = ended(Termination::FunctionTolerance, 2, 1);
  summary.options.num_linear_iterations = 3;
  EXPECT_THAT(warnings_of(summary),
              ElementsAre(HasSubstr("pcg made all its lIterations = 3 in 2 of 2 steps")));
  summary.options.q_tolerance = 0;
  EXPECT_THAT(warnings_of(summary), IsEmpty());
  summary.options.q_tolerance = 1e-4;
  summary.options.linear_solver = "sparse_cholesky";
  summary.solved_directly = true;
  EXPECT_THAT(warnings_of(summary), IsEmpty());
}

}  // namespace
}  // namespace thallo
