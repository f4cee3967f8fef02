#include "core/embed/energy_solver.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::ElementsAre, testing::HasSubstr;

constexpr std::string_view Line = R"(
local N, U = Dims("N", "U")
Inputs { line = Unknown(float2, {U}), time = Array(double, {N}), height = Array(double, {N}) }
local n = N()
local p = line(0)
Residuals { fit = p(0) * time(n) + p(1) - height(n) })";

EnergySolver line_solver(EnergySolverOptions options = {.backend = "interpreter"}) {
  auto solver = EnergySolver::load_text(Line, "line.lua", std::move(options));
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  return *std::move(solver);
}

// height = slope * time + offset
struct Points {
  Points(std::size_t count, double slope, double offset) {
    for (std::size_t i = 0; i < count; ++i) {
      time.push_back(0.5 * static_cast<double>(i));
      height.push_back(slope * time.back() + offset);
    }
  }
  std::vector<double> time, height;
};

std::string message_of(const Expected<SolverSummary>& summary) {
  return summary ? "" : summary.error().message();
}

constexpr std::string_view Cameras = R"(
local C, P, O = Dims("C", "P", "O")
Inputs { camera = Unknown(float2, {C}), point = Unknown(float2, {P}), seen = Array(float2, {O}),
         to_camera = Sparse({O}, {C}), to_point = Sparse({O}, {P}) }
local o, c = O(), C()
Residuals { project = camera(to_camera(o)) - point(to_point(o)) - seen(o), held = camera(c) })";

// Cameras and points, which a solver that nobody names eliminates.
class EliminatingSolver : public testing::Test {
 protected:
  static constexpr std::size_t NumCameras = 300, NumPoints = 520;

  EnergySolver load(EnergySolverOptions options) {
    options.backend = "cpu";
    auto solver = EnergySolver::load_text(Cameras, "cameras.lua", std::move(options));
    if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
    // Each camera sees each point, so that too many pairs of them meet to factor what is kept.
    for (std::size_t i = 0; i < NumCameras * NumPoints; ++i) {
      to_camera_.push_back(static_cast<std::int32_t>(i / NumPoints));
      to_point_.push_back(static_cast<std::int32_t>(i % NumPoints));
      seen_.insert(seen_.end(), {1.0, 0.1 * static_cast<double>(i % 7)});
    }
    solver->bind("camera", camera_, {NumCameras})
        .bind("point", point_, {NumPoints})
        .bind("seen", seen_);
    solver->bind("to_camera", to_camera_).bind("to_point", to_point_);
    return *std::move(solver);
  }

  std::vector<double> camera_ = std::vector<double>(2 * NumCameras, 0.5),
                      point_ = std::vector<double>(2 * NumPoints);
  std::vector<double> seen_;
  std::vector<std::int32_t> to_camera_, to_point_;
};

TEST_F(EliminatingSolver, IsChosenWhereNothingIsNamed) {
  EnergySolver solver = load({});
  const auto first = solver.solve();
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(first->options.text("linear_solver"), "schur_pcg");
  EXPECT_THAT(first->why_linear_solver, HasSubstr("1040 of 1640 unknowns can be eliminated"));
  EXPECT_EQ(first->options.text("preconditioner"), "block_jacobi");
}

// Whether it is explained or solved first, and however often it is solved.
// Finds a solver that keeps the linear solver of another schedule.
TEST_F(EliminatingSolver, GivesWayToAScheduleThatItDoesNotSuit) {
  EnergySolver solver = load({.schedule_text = "r.project:strategy(\"[JtJ]p\")"});
  const auto explained = solver.explain();
  ASSERT_TRUE(explained) << explained.error().message();
  for (int i = 0; i < 2; ++i) {
    const auto solved = solver.solve();
    ASSERT_TRUE(solved) << solved.error().message();
    EXPECT_EQ(solved->options.text("linear_solver"), "pcg");
    EXPECT_EQ(solved->options.text("preconditioner"), "jacobi");
    EXPECT_THAT(solved->why_linear_solver, HasSubstr("the schedule stores JtJ of 'project'"));
  }
  SolverOptions named = SolverOptions::until_converged();
  ASSERT_TRUE(named.set("linear_solver", "schur_pcg"));
  EXPECT_THAT(message_of(solver.solve(named)), HasSubstr("the schedule stores JtJ of 'project'"));
}

TEST(EnergySolver, SolvesOtherDataWithWhatItHasCompiled) {
  EnergySolver solver = line_solver();
  Points points(5, 2, 1);
  std::vector<double> line = {0, 0};
  solver.bind("line", line).bind("time", points.time).bind("height", points.height);
  ASSERT_TRUE(solver.solve());
  const double compiled = solver.compile_seconds();
  EXPECT_GT(compiled, 0);

  for (double& height : points.height) height *= 2;
  ASSERT_TRUE(solver.solve());
  EXPECT_THAT(line, ElementsAre(DoubleNear(4, 1e-9), DoubleNear(2, 1e-9)));

  Points more(9, -1, 3);
  const auto summary = solver.bind("time", more.time).bind("height", more.height).solve();
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->num_residuals, 9);
  EXPECT_THAT(line, ElementsAre(DoubleNear(-1, 1e-9), DoubleNear(3, 1e-9)));
  EXPECT_EQ(solver.compile_seconds(), compiled);

  SolverOptions gauss_newton;
  gauss_newton.num_iterations = 1;
  ASSERT_TRUE(solver.solve(gauss_newton));
  EXPECT_GT(solver.compile_seconds(), compiled) << "another solver is another program";
}

TEST(EnergySolver, SaysWhyALinearSolverWasChosenOnlyWhereItWas) {
  EnergySolver solver = line_solver();
  Points points(5, 2, 1);
  std::vector<double> line = {0, 0};
  solver.bind("line", line).bind("time", points.time).bind("height", points.height);
  EXPECT_EQ(solver.solve()->why_linear_solver, "2 unknowns are few");
  SolverOptions named = SolverOptions::until_converged();
  named.linear_solver = "dense";
  EXPECT_EQ(solver.solve(named)->why_linear_solver, "");
}

TEST(EnergySolver, ComputesAlikeWhateverTheTypeOfTheUnknowns) {
  Points points(7, 1.0 / 3, 1.0 / 7);
  std::vector<double> line = {0, 0};
  std::vector<float> line_in_float = {0, 0};
  EnergySolver solver = line_solver({.backend = "cpu"});
  const SolverOptions gauss_newton;
  ASSERT_TRUE(solver.bind("line", line_in_float)
                  .bind("time", points.time)
                  .bind("height", points.height)
                  .solve(gauss_newton));
  EXPECT_EQ(line_in_float[0], 1.0F / 3);
  const double compiled = solver.compile_seconds();
  ASSERT_TRUE(solver.bind("line", line).solve(gauss_newton));
  EXPECT_THAT(line, ElementsAre(DoubleNear(1.0 / 3, 1e-13), DoubleNear(1.0 / 7, 1e-13)));
  EXPECT_EQ(solver.compile_seconds(), compiled);
}

TEST(EnergySolver, LoadsAFile) {
  const test::TempDir folder;
  const auto solver = EnergySolver::load(folder.write("line.lua", Line));
  ASSERT_TRUE(solver) << solver.error().message();
  EXPECT_EQ(solver->energy().name(), "line");
  const auto absent = EnergySolver::load(folder.path() / "curve.lua");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("curve.lua"));
  const auto faulty = EnergySolver::load_text("Residuals { fit = X(0) }", "fit.lua");
  ASSERT_FALSE(faulty);
  EXPECT_THAT(faulty.error().message(), HasSubstr("fit.lua:1"));
}

TEST(EnergySolver, FindsTheConstructsThatAreInstalled) {
  Points points(5, 2, 1);
  std::vector<double> line = {0, 0};
  const auto solve = [&](EnergySolver& solver) {
    return solver.bind("line", line)
        .bind("time", points.time)
        .bind("height", points.height)
        .solve(SolverOptions());
  };
  EnergySolver stored =
      line_solver({.backend = "interpreter", .schedule_text = "r.fit:strategy(\"[Jt][[J]p]\")"});
  EXPECT_EQ(message_of(solve(stored)), "");
  EXPECT_EQ(stored.schedule(), "r.fit:strategy(\"[Jt][[J]p]\")\n");
  EnergySolver plain = line_solver({.backend = "interpreter", .schedule = "default"});
  EXPECT_EQ(message_of(solve(plain)), "");
  EXPECT_EQ(plain.schedule(), "");
  EnergySolver faulty =
      line_solver({.backend = "interpreter", .schedule_text = "r.fit:strategie(1)"});
  EXPECT_THAT(message_of(solve(faulty)), HasSubstr("did you mean 'strategy'?"));
}

TEST(EnergySolver, SaysWhatIsWrongWithoutTouchingTheUnknowns) {
  EnergySolver solver = line_solver();
  Points points(5, 2, 1);
  std::array<double, 2> line = {7, 8};
  solver.bind("line", line).bind("time", points.time).bind("heigth", points.height);
  EXPECT_THAT(message_of(solver.solve()), HasSubstr("no input 'heigth'; did you mean 'height'?"));
  EnergySolver nowhere = line_solver({.backend = "gpu"});
  nowhere.bind("line", line).bind("time", points.time).bind("height", points.height);
  EXPECT_THAT(message_of(nowhere.solve()), HasSubstr("'gpu'"));
  EXPECT_THAT(line, ElementsAre(7, 8));
}

TEST(EnergySolver, ShowsIterationsAndStopsWhenAsked) {
  EnergySolver solver = line_solver();
  Points points(5, 2, 1);
  std::vector<double> line = {0, 0};
  solver.bind("line", line).bind("time", points.time).bind("height", points.height);
  std::stop_source stop;
  std::vector<int> seen;
  const auto summary = solver.solve(
      SolverOptions::until_converged(),
      [&](const IterationRecord& record) {
        seen.push_back(record.iteration);
        if (record.iteration == 1) stop.request_stop();
        return AfterIteration::GoOn;
      },
      stop.get_token());
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->termination, Termination::Cancelled);
  EXPECT_THAT(seen, ElementsAre(0, 1));
  EXPECT_NE(line[0], 0) << "what was reached";
  EXPECT_TRUE(solver.solve()) << "a stop is of one solve";
}

TEST(EnergySolver, EvaluatesTheEnergyWhereTheUnknownsAre) {
  EnergySolver solver = line_solver();
  std::vector<double> line = {2, 1}, time = {0, 3}, height = {5, 5};
  solver.bind("line", line).bind("time", time).bind("height", height);
  const auto at = solver.linearize();
  ASSERT_TRUE(at) << at.error().message();
  EXPECT_THAT(at->residuals(), ElementsAre(-4, 2));
  EXPECT_EQ(at->cost(), 10);
  EXPECT_THAT(at->jacobian().to_dense(), ElementsAre(0, 1, 3, 1));
  EXPECT_THAT(at->jtf(), ElementsAre(6, -2));
  EXPECT_THAT(at->jtj()->to_dense(), ElementsAre(9, 3, 3, 2));
  line[1] = 5;
  EXPECT_THAT(solver.linearize()->residuals(), ElementsAre(0, 6));
  const auto data = solver.binding();
  ASSERT_TRUE(data);
  EXPECT_THAT(EnergyEvaluator(solver.energy(), *data).place(1).point, ElementsAre(1));
}

TEST(EnergySolver, SolversOfSeveralThreadsDoNotMeet) {
  std::vector<std::vector<double>> lines(4, std::vector<double>{0, 0});
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      threads.emplace_back([&lines, i] {
        EnergySolver solver = line_solver();
        const Points points(5, static_cast<double>(i), 1);
        solver.bind("line", lines[i]).bind("time", points.time).bind("height", points.height);
        EXPECT_EQ(message_of(solver.solve()), "");
      });
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_NEAR(lines[i][0], static_cast<double>(i), 1e-9);
}

template <class Values>
concept CanBeBound = requires(EnergySolver& solver, Values&& values) {
  solver.bind("time", std::forward<Values>(values));
};

// An array that is gone before the solve is no array to bind.
TEST(EnergySolver, TakesNoTemporaries) {
  EXPECT_TRUE(CanBeBound<std::vector<double>&>);
  EXPECT_TRUE(CanBeBound<const std::vector<std::int32_t>&>);
  EXPECT_TRUE(CanBeBound<std::span<float>>);
  EXPECT_TRUE(CanBeBound<double>);
  EXPECT_FALSE(CanBeBound<std::vector<double>>);
  EXPECT_FALSE(CanBeBound<std::vector<bool>&>);
}

// A group with a loss, one that is masked where w is 0, and one that fits exactly.
constexpr std::string_view Groups = R"(
local N = Dims("N")
Inputs { X = Unknown(double, {N}), A = Array(double2, {N}), w = Array(double, {N}) }
local n = N()
local r = Residuals { far = X(n) * Vector(0, 1) - A(n), some = w(n) * (X(n) - 2), exact = X(n) - X(n) * X(n) / 2 }
r.far:loss(cauchy(2)))";

class GroupSums : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Backends, GroupSums, testing::Values("interpreter", "cpu"));

TEST_P(GroupSums, TellWhatEachGroupCameTo) {
  auto solver = EnergySolver::load_text(Groups, "groups.lua", {.backend = GetParam()});
  ASSERT_TRUE(solver) << solver.error().message();
  std::vector<double> x = {2, 2, 2}, a = {0, 2, 2, 2, 3, -2}, w = {1, 0, 5};
  solver->bind("X", x, {3}).bind("A", a).bind("w", w);
  SolverOptions options;
  options.num_iterations = 0;
  const auto summary = solver->solve(options);
  ASSERT_TRUE(summary) << summary.error().message();
  ASSERT_EQ(summary->groups.size(), 3u);
  double cost = 0;
  for (const GroupSummary& group : summary->groups) cost += group.cost;
  EXPECT_NEAR(cost, summary->final_cost, 1e-12);

  const GroupSummary &exact = summary->groups[0], &far = summary->groups[1],
                     &some = summary->groups[2];
  EXPECT_EQ(far.name, "far");
  // (0, 0), (-2, 0) of length 2, and (-3, 4) of length 5, which is an outlier.
  EXPECT_NEAR(far.cost, 0.5 * 4 * (std::log(2.0) + std::log(1 + 25.0 / 4)), 1e-12);
  EXPECT_EQ(far.num_residuals, 5) << "the first of (0, 0) is 0 whatever X is";
  EXPECT_EQ(far.num_inliers, 2);
  EXPECT_EQ(some.cost, 0);
  EXPECT_EQ(some.num_residuals, 2);
  EXPECT_EQ(some.num_inliers, 2);
  EXPECT_EQ(exact.num_residuals, 3) << "they are 0, but change with X";
  EXPECT_EQ(exact.num_inliers, 3);
}

// A loss that its author wrote is solved, counted and linearized as the known one that it is.
TEST_P(GroupSums, OfALossAreThoseOfItsFunction) {
  std::vector<double> costs, first_costs;
  for (const char* loss : {"cauchy(2)", "function(s) return 4 * log(1 + s / 4) end"}) {
    std::string text(Groups);
    text.replace(text.find("cauchy(2)"), 9, loss);
    auto solver = EnergySolver::load_text(text, "groups.lua", {.backend = GetParam()});
    ASSERT_TRUE(solver) << solver.error().message();
    std::vector<double> x = {2, 2, 2}, a = {0, 2, 2, 2, 3, -2}, w = {1, 0, 5};
    solver->bind("X", x, {3}).bind("A", a).bind("w", w);
    const auto summary = solver->solve({});
    ASSERT_TRUE(summary) << summary.error().message();
    costs.push_back(summary->final_cost);
    first_costs.push_back(summary->groups[1].cost);
    EXPECT_EQ(summary->groups[1].num_inliers, costs.size() == 1 ? 2 : 3);
  }
  EXPECT_NEAR(costs[0], costs[1], 1e-12);
  EXPECT_NEAR(first_costs[0], first_costs[1], 1e-12);
}

TEST(EnergySolver, ShowsTheCallbackTheUnknownsOfItsIteration) {
  // Rosenbrock's valley.
  constexpr std::string_view Valley = R"(
local N = Dims("N")
Inputs { X = Unknown(double2, {N}) }
local x = X(N())
Residuals { valley = 10 * (x(1) - x(0) * x(0)), wall = 1 - x(0) })";
  const auto cost_at = [](const std::vector<double>& x) {
    return 0.5 * (100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2));
  };
  for (const bool steps : {false, true}) {
    auto solver = EnergySolver::load_text(Valley, "valley.lua", {.backend = "interpreter"});
    ASSERT_TRUE(solver) << solver.error().message();
    std::vector<double> x = {-1.2, 1};
    solver->bind("X", x, {1});
    int num_records = 0;
    const IterationCallback look = [&](const IterationRecord& record) {
      EXPECT_NEAR(cost_at(x), record.cost, 1e-9 * (1 + record.cost));
      ++num_records;
      return AfterIteration::GoOn;
    };
    if (steps) {
      ASSERT_TRUE(solver->begin(SolverOptions::until_converged(), look));
      while (*solver->step()) {
      }
    } else {
      ASSERT_TRUE(solver->solve(SolverOptions::until_converged(), look));
    }
    EXPECT_GT(num_records, 5);
  }
}

}  // namespace
}  // namespace thallo
