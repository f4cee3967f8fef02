#include "gui/solve/solve_model.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QFileInfo>

#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using gui::SolveRun;
using testing::HasSubstr;

class SolveModelTest : public testing::Test {
 protected:
  const SolveRun& last() { return model.runs().value->runs.back(); }

  OpenWorkspace open{small_poisson("cpu")};
  gui::SolveModel& model = open.workspace.solve();
};

TEST_F(SolveModelTest, RunsTheScheduleInAWorkerAndTellsWhatItReached) {
  model.setSettings(
      {.backend = "cpu",
       .solverOptions = {{"preconditioner", "none"}, {"nIterations", "1"}, {"lIterations", "20"}}});
  model.start();
  ASSERT_TRUE(model.isRunning());
  ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
  ASSERT_EQ(model.runs().state, gui::RemoteState::Ready) << model.runs().error.toStdString();
  EXPECT_EQ(last().state, SolveRun::State::Finished);
  EXPECT_LT(last().finalCost, last().initialCost);
  EXPECT_EQ(last().linearIterations, 20);
  ASSERT_GE(last().points.size(), 2u);
  EXPECT_EQ(last().points.front().iteration, 0);
  EXPECT_DOUBLE_EQ(last().points.front().cost, last().initialCost);
  EXPECT_THAT(last().solvedBy.toStdString(), HasSubstr("pcg, preconditioner "));
  EXPECT_DOUBLE_EQ(last().points.back().cost, last().finalCost);
  ASSERT_FALSE(last().pictures.empty());
  EXPECT_TRUE(QFileInfo::exists(last().pictures.front().file));
  EXPECT_FALSE(last().metrics.empty());
}

TEST_F(SolveModelTest, RunsWithMultigrid) {
  model.setSettings(
      {.backend = "cpu", .solverOptions = {{"preconditioner", "multigrid"}, {"nIterations", "1"}}});
  model.start();
  ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
  ASSERT_EQ(model.runs().state, gui::RemoteState::Ready) << model.runs().error.toStdString();
  EXPECT_THAT(last().solvedBy.toStdString(), HasSubstr("pcg, preconditioner multigrid"));
}

TEST_F(SolveModelTest, SaysWhyALinearSolverIsNotForTheProblem) {
  model.setSettings({.backend = "cpu", .solverOptions = {{"linear_solver", "schur_cholesky"}}});
  model.start();
  ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
  EXPECT_EQ(last().state, SolveRun::State::Failed);
  EXPECT_THAT(model.runs().error.toStdString(), HasSubstr("finds no unknowns to eliminate"));
}

TEST_F(SolveModelTest, KeepsRunsToCompareAlsoWhenTheProblemIsOpenedAgain) {
  model.setSettings(
      {.backend = "interpreter", .solverOptions = {{"nIterations", "1"}, {"lIterations", "1"}}});
  for (const int number : {1, 2}) {
    model.start();
    ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
    EXPECT_EQ(last().number, number);
  }
  EXPECT_EQ(model.runs().value->runs.size(), 2u);
  model.renameRun(2, "one iteration");
  model.hideRun(2, true);
  EXPECT_EQ(last().shownName(), "one iteration");
  EXPECT_TRUE(last().isHidden);
  model.renameRun(2, " ");
  EXPECT_EQ(last().shownName(), last().schedule);
  model.removeRun(1);
  EXPECT_EQ(model.runs().value->runs.size(), 1u);
  model.start();
  const gui::ProblemRequest left = open.workspace.problems().request();
  const auto is_open = [this] { return open.workspace.problems().problem().isReady(); };
  open.workspace.open({.problem = "curve_fit", .device = "cpu"});
  EXPECT_EQ(model.runs().state, gui::RemoteState::Empty);
  EXPECT_FALSE(model.isRunning());
  ASSERT_TRUE(wait_until(is_open));
  EXPECT_EQ(model.runs().state, gui::RemoteState::Empty);
  open.workspace.open(left);
  ASSERT_TRUE(wait_until(is_open));
  ASSERT_TRUE(model.runs().isReady());
  ASSERT_EQ(model.runs().value->runs.size(), 2u);
  EXPECT_EQ(model.runs().value->runs.front().number, 2);
  EXPECT_EQ(last().fault, "cancelled") << "it was under way";
}

TEST_F(SolveModelTest, TellsThatTheWorkerWasKilledAndRunsAgain) {
  model.setSettings({.backend = "interpreter", .solverOptions = {{"lIterations", "2000"}}});
  model.start();
  ASSERT_TRUE(wait_until([&] { return model.workerProcess() > 0 && !last().stage.isEmpty(); }));
  kill(static_cast<pid_t>(model.workerProcess()), SIGKILL);
  ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
  EXPECT_EQ(model.runs().state, gui::RemoteState::Failed);
  EXPECT_THAT(model.runs().error.toStdString(), HasSubstr("was ended by signal 9 (Killed"));
  model.setSettings(
      {.backend = "interpreter", .solverOptions = {{"nIterations", "1"}, {"lIterations", "1"}}});
  model.start();
  ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
  EXPECT_EQ(model.runs().state, gui::RemoteState::Ready) << model.runs().error.toStdString();
}

TEST_F(SolveModelTest, CancelsARun) {
  model.setSettings({.backend = "interpreter", .solverOptions = {{"lIterations", "100000"}}});
  model.start();
  ASSERT_TRUE(wait_until([&] { return last().stage == "solve" || last().stage == "iteration"; }));
  model.cancel();
  ASSERT_TRUE(wait_until([&] { return !model.isRunning(); }));
  EXPECT_TRUE(last().wasCancelled || last().fault == "cancelled") << last().fault.toStdString();
}

TEST(SolveRun, CountsAResultInTheFormatOfAPictureAmongThePictures) {
  RunAnswer answer;
  answer.files = {{WrittenFile::Kind::File, "/somewhere/X.pfm", "X"},
                  {WrittenFile::Kind::File, "/somewhere/graph.g2o", "poses"}};
  SolveRun run;
  gui::takeAnswer(answer, run);
  ASSERT_EQ(run.pictures.size(), 1u);
  EXPECT_EQ(run.pictures.front().file, "/somewhere/X.pfm");
  EXPECT_EQ(run.otherFiles.size(), 2u);
}

TEST(SolveRun, HasTheTimeOfItsSolvesApartFromThatOfCompiling) {
  RunAnswer answer;
  answer.run.compile_seconds = 2.1;
  answer.run.total_seconds = 2.27;
  answer.run.solves = {{.num_linear_iterations = 3, .seconds = 0.05},
                       {.num_linear_iterations = 4, .seconds = 0.06}};
  SolveRun run;
  takeAnswer(answer, run);
  EXPECT_DOUBLE_EQ(run.solveSeconds, 0.11);
  EXPECT_DOUBLE_EQ(run.compileSeconds, 2.1);
  EXPECT_EQ(run.linearIterations, 7);
}

TEST(SolverOptionsText, IsReadAndChecked) {
  const auto options = gui::readSolverOptions("nIterations=3  q_tolerance=1e-3");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->size(), 2u);
  EXPECT_EQ(options->back().second, "1e-3");
  EXPECT_THAT(gui::readSolverOptions("nIterations").error().message(), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(gui::readSolverOptions("nIteration=3").error().message(), HasSubstr("nIterations"));
  EXPECT_THAT(gui::readSolverOptions("nIterations=x").error().message(), HasSubstr("x"));
}

}  // namespace
}  // namespace thallo::test
