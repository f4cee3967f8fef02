#include "core/solve/summary.h"

#include <gmock/gmock.h>

#include <limits>
#include <utility>
#include <vector>

namespace thallo {
namespace {

using testing::AllOf, testing::ElementsAre, testing::EndsWith, testing::HasSubstr, testing::IsEmpty,
    testing::Not;

SolverSummary example(SolverKind solver) {
  SolverSummary s;
  s.energy = "line_fit";
  s.options.solver = solver;
  s.num_unknowns = 2;
  s.num_residuals = 200;
  s.initial_cost = 1000;
  s.final_cost = 10;
  s.num_iterations = 5;
  s.num_accepted = 4;
  s.num_rejected = 1;
  s.num_linear_iterations = 50;
  s.seconds = {.linearize = 0.25, .linear = 0.5, .cost = 0.125, .update = 0, .total = 1};
  s.times.iteration = SecondsSpread::of({0.125, 0.375});
  s.termination = Termination::FunctionTolerance;
  return s;
}

TEST(SolverSummary, BriefIsOneLineAndFullTellsAll) {
  const std::string text = example(SolverKind::LevenbergMarquardt).brief();
  EXPECT_EQ(text,
            "line_fit: lm, double, 5 iterations (4 accepted), 50 linear, cost 1.000000e+03 -> "
            "1.000000e+01, 1.000 s: the relative decrease of the cost is below function_tolerance");
  const std::string full = example(SolverKind::LevenbergMarquardt).full();
  for (const char* part :
       {"Summary of line_fit", "unknowns                          2\n", "residuals ", "rejected",
        "trust_region_radius", "q_tolerance", "linear solve                          0.500000 s",
        "50.0 %", "host and waiting                      0.125000 s", "Converged: the relative",
        "iteration                             0.250000 s, 0.125000 to 0.375000, deviation "
        "0.125000, "
        "2 times"}) {
    EXPECT_THAT(full, HasSubstr(part));
  }
}

TEST(SolverSummary, FullShowsOnlyWhatMatters) {
  SolverSummary s = example(SolverKind::GaussNewton);
  s.options.linear_solver = "dense";
  s.solved_directly = true;
  s.num_unknowns = 0;
  s.termination = Termination::MaxIterations;
  const std::string text = s.full();
  EXPECT_THAT(text, Not(HasSubstr("trust_region_radius")));
  EXPECT_THAT(text, Not(HasSubstr("lIterations")));
  EXPECT_THAT(text, Not(HasSubstr("rejected")));
  EXPECT_THAT(text, Not(HasSubstr("failed preconditioner")));
  EXPECT_THAT(text, HasSubstr("unknowns                          unknown"));
  EXPECT_THAT(text, HasSubstr("function_tolerance                off"));
  EXPECT_THAT(text, HasSubstr("Ended: the number of iterations"));
}

TEST(SolverSummary, SaysWhichStepsAreLoose) {
  SolverSummary s;
  s.options.solver = SolverKind::LevenbergMarquardt;
  s.options.linear_solver = "schur_cholesky";
  s.options.loose_iterations = 9;
  s.solved_directly = true;
  const std::vector<std::pair<int, bool>> steps = {{2, true}, {9, true}, {1, false}};
  for (const auto& [iterations, loose] : steps)
    s.add({.iteration = s.num_iterations + 1, .linear_iterations = iterations, .loose = loose});
  EXPECT_EQ(s.loose_text(),
            "steps 1 to 2 by pcg, in 11 linear iterations; those after them by schur_cholesky");
  EXPECT_THAT(s.full(), AllOf(HasSubstr("loose_iterations                  9"),
                              HasSubstr("loose                             " + s.loose_text())));
  EXPECT_THAT(iteration_table_row(s.options.solver, s.iterations[1]), EndsWith("  loose"));
  EXPECT_THAT(iteration_table_row(s.options.solver, s.iterations[2]), Not(HasSubstr("loose")));
  s.options.named = {"lIterations"};
  EXPECT_THAT(s.options.named_in_vain(s.solved_directly), IsEmpty());
  s.options.loose_iterations = 0;
  EXPECT_THAT(s.options.named_in_vain(s.solved_directly), ElementsAre("lIterations"));
}

TEST(SolverSummary, ReductionIsTheQuotientOfCosts) {
  SolverSummary s;
  EXPECT_EQ(s.reduction(), 1);
  s.initial_cost = 8;
  EXPECT_EQ(s.reduction(), std::numeric_limits<double>::infinity());
  s.final_cost = 2;
  EXPECT_EQ(s.reduction(), 4);
}

TEST(IterationTable, RowsStandUnderTheirHeadings) {
  IterationRecord record;
  record.iteration = 3;
  record.accepted = true;
  for (const auto solver : {SolverKind::GaussNewton, SolverKind::LevenbergMarquardt}) {
    EXPECT_EQ(iteration_table_header(solver).size(), iteration_table_row(solver, record).size());
  }
  record.accepted = false;
  EXPECT_THAT(iteration_table_row(SolverKind::LevenbergMarquardt, record), HasSubstr("rejected"));
}

TEST(Termination, TextsAreNames) {
  EXPECT_EQ(to_string(Termination::TimeLimit), "TimeLimit");
  EXPECT_THAT(std::string(describe(Termination::TimeLimit)),
              HasSubstr("max_solver_time_in_seconds"));
  EXPECT_TRUE(is_convergence(Termination::GradientTolerance));
  EXPECT_FALSE(is_convergence(Termination::Cancelled));
}

}  // namespace
}  // namespace thallo
