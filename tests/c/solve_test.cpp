// Solves through thallo.h: inputs of all types, options, steps, results.
#include <gmock/gmock.h>

#include "tests/c/c99.h"
#include "tests/c/line_problem.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::DoubleNear, testing::Each, testing::ElementsAre, testing::HasSubstr;

TEST(CSolve, WorksFromC99) {
  double line[2] = {0, 0};
  EXPECT_EQ(fit_line_in_c(line), THALLO_OK);
  EXPECT_NEAR(line[0], 2, 1e-9);
  EXPECT_NEAR(line[1], 1, 1e-9);
}

TEST(CSolve, LeavesTheSolutionInTheArrayAndTellsAboutIt) {
  BoundLine p;
  p.ok(thallo_solve(p.solver));
  EXPECT_THAT(p.line, ElementsAre(DoubleNear(2, 1e-9), DoubleNear(1, 1e-9)));
  EXPECT_EQ(p.number("unknowns"), 2);
  EXPECT_EQ(p.number("residuals"), 4);
  EXPECT_EQ(p.number("initial_cost"), 42);
  EXPECT_NEAR(p.number("final_cost"), 0, 1e-9);
  EXPECT_EQ(p.number("converged"), 1);
  EXPECT_EQ(p.number("iterations"), p.number("accepted") + p.number("rejected"));
  EXPECT_GT(p.number("seconds"), 0);
  EXPECT_EQ(p.text("energy"), "line");
  EXPECT_EQ(p.text("backend"), "interpreter");
  EXPECT_EQ(p.text("ending"), "converged");
  EXPECT_THAT(p.text("full"), HasSubstr("Summary of line"));
  EXPECT_EQ(p.text("warnings"), "");
  EXPECT_EQ(thallo_error_code(p.solver), THALLO_OK);
  EXPECT_EQ(p.error(), "");
}

TEST(CSolve, TellsIterationsAndTimes) {
  BoundLine p;
  p.ok(thallo_solve(p.solver));
  thallo_iteration start, last;
  p.ok(thallo_summary_iteration(p.solver, 0, &start));
  EXPECT_EQ(start.cost, 42);
  const auto count = static_cast<std::int64_t>(p.number("iterations"));
  p.ok(thallo_summary_iteration(p.solver, count, &last));
  EXPECT_EQ(last.iteration, count);
  EXPECT_EQ(last.cost, p.number("final_cost"));
  for (const char* name : {"iteration", "linear", "resolve"}) {
    thallo_times times;
    p.ok(thallo_summary_times(p.solver, name, &times));
    EXPECT_EQ(times.count, count) << name;
    EXPECT_LE(times.min_ms, times.mean_ms);
    EXPECT_LE(times.mean_ms, times.max_ms);
    EXPECT_GE(times.deviation_ms, 0);
  }
  thallo_times total;
  p.ok(thallo_summary_times(p.solver, "total", &total));
  EXPECT_EQ(total.count, 1);
  EXPECT_EQ(total.mean_ms, 1e3 * p.number("seconds"));
}

TEST(CSolve, NeedsAgainWhatWasForgotten) {
  BoundLine p;
  p.ok(thallo_unbind(p.solver, "w"));
  p.ok(thallo_unbind(p.solver, "w"));
  EXPECT_EQ(thallo_solve(p.solver), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("'w'"));
  EXPECT_EQ(thallo_unbind(p.solver, nullptr), THALLO_INVALID_ARGUMENT);
}

TEST(CSolve, TellsWhatItRanOnAndWhatGroupsCameTo) {
  BoundLine p;
  p.ok(thallo_solve(p.solver));
  EXPECT_EQ(p.number("threads"), 1);
  EXPECT_GT(p.number("peak_memory"), 1 << 20);
  EXPECT_GE(p.number("cpu_seconds"), 0);
  EXPECT_EQ(p.text("precision"), "double");
  EXPECT_NE(p.text("device"), "");
  EXPECT_THAT(p.text("date"), testing::MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_EQ(p.number("groups"), 1);
  thallo_group group;
  p.ok(thallo_summary_group(p.solver, 0, &group));
  EXPECT_STREQ(group.name, "fit");
  EXPECT_NEAR(group.cost, p.number("final_cost"), 1e-12);
  EXPECT_EQ(group.residuals, 4);
  EXPECT_EQ(group.inliers, 4);
  EXPECT_EQ(thallo_summary_group(p.solver, 1, &group), THALLO_INVALID_ARGUMENT);
}

TEST(CSolve, TellsTheCovarianceOfElements) {
  BoundLine p;
  const std::int64_t first[] = {0}, second[] = {1};
  thallo_element element = {"line", first};
  size_t rows = 0;
  p.ok(thallo_covariance(p.solver, &element, 1, nullptr, 0, &rows));
  ASSERT_EQ(rows, 2u);
  double values[4] = {};
  p.ok(thallo_covariance(p.solver, &element, 1, values, rows, &rows));
  EXPECT_THAT(values, ElementsAre(DoubleNear(0.2, 1e-12), DoubleNear(-0.3, 1e-12),
                                  DoubleNear(-0.3, 1e-12), DoubleNear(0.7, 1e-12)));
  EXPECT_EQ(thallo_covariance(p.solver, &element, 1, values, 1, &rows), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("has 2 rows, and there is room for 1"));
  element.coordinates = second;
  EXPECT_EQ(thallo_covariance(p.solver, &element, 1, values, 2, &rows), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("unknown 'line' has no element (1)"));
  element = {"height", first};
  EXPECT_EQ(thallo_covariance(p.solver, &element, 1, values, 2, &rows), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("has no unknown 'height'"));
  element = {nullptr, first};
  EXPECT_EQ(thallo_covariance(p.solver, &element, 1, values, 2, &rows), THALLO_INVALID_ARGUMENT);
  thallo_bind_number(p.solver, "w", 0);
  element = {"line", first};
  EXPECT_EQ(thallo_covariance(p.solver, &element, 1, values, 2, &rows), THALLO_SOLVE_FAILED);
  EXPECT_THAT(p.error(), HasSubstr("rank-deficient"));
}

TEST(CSolve, TakesGradientsToInputs) {
  BoundLine p;
  p.ok(thallo_solve(p.solver));
  double slope[] = {1, 0}, by_height[4] = {}, by_w = -1;  // of the number `line(0)(0)`
  thallo_values of_line = {"line", slope, 2};
  thallo_values inputs[] = {{"height", by_height, 4}, {"w", &by_w, 1}};
  p.ok(thallo_pull_back(p.solver, &of_line, 1, inputs, 2));
  EXPECT_THAT(by_height, ElementsAre(DoubleNear(-0.3, 1e-9), DoubleNear(-0.1, 1e-9),
                                     DoubleNear(0.1, 1e-9), DoubleNear(0.3, 1e-9)));
  EXPECT_NEAR(by_w, 0, 1e-9);
  inputs[0].num_values = 3;
  EXPECT_EQ(thallo_pull_back(p.solver, &of_line, 1, inputs, 2), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("'height' has 4 numbers, and there is room for 3"));
  inputs[0].name = nullptr;
  EXPECT_EQ(thallo_pull_back(p.solver, &of_line, 1, inputs, 2), THALLO_INVALID_ARGUMENT);
  p.line = {7, 7};
  EXPECT_EQ(thallo_pull_back(p.solver, &of_line, 1, inputs + 1, 1), THALLO_SOLVE_FAILED);
  EXPECT_THAT(p.error(), HasSubstr("are no minimum"));
}

TEST(CSolve, TakesEveryTypeOfValues) {
  constexpr const char* Text = R"(
local N, M = Dims("N", "M")
Inputs { X = Unknown(float, {N}), A = Array(float, {N}), B = Array(uint8, {N}),
         to = Sparse({M}, {N}) }
local n, m = N(), M()
Residuals { a = X(n) - A(n) - B(n), s = X(to(m)) - 8 })";
  const thallo_option options[] = {{"backend", "cpu"}, {"precision", "double"}, {"threads", "1"}};
  thallo_solver* solver = nullptr;
  ASSERT_EQ(thallo_create_from_text(Text, "types.lua", options, 3, &solver), THALLO_OK)
      << thallo_error_text(nullptr);
  std::vector<float> x = {0, 0}, a = {1, 2};
  const std::vector<std::uint8_t> b = {1, 2};
  const std::vector<std::int32_t> to = {1};
  const std::int64_t n = 2, m = 1;
  EXPECT_EQ(thallo_bind_unknown(solver, "X", THALLO_FLOAT, x.data(), &n, 1), THALLO_OK);
  EXPECT_EQ(thallo_bind_array(solver, "A", THALLO_FLOAT, a.data(), &n, 1), THALLO_OK);
  EXPECT_EQ(thallo_bind_array(solver, "B", THALLO_UINT8, b.data(), &n, 1), THALLO_OK);
  EXPECT_EQ(thallo_bind_array(solver, "to", THALLO_INT32, to.data(), &m, 1), THALLO_OK);
  EXPECT_EQ(thallo_solve(solver), THALLO_OK) << thallo_error_text(solver);
  EXPECT_NEAR(x[0], 2, 1e-5);
  EXPECT_NEAR(x[1], 6, 1e-5);
  EXPECT_EQ(thallo_free(solver), THALLO_OK);
}

TEST(CSolve, LoadsAFileWithASchedule) {
  const TempDir folder;
  const std::string path = folder.write("line.lua", LineText).string();
  const thallo_option options[] = {{"backend", "interpreter"},
                                   {"schedule_text", "r.fit:strategy(\"[Jt][[J]p]\")"}};
  LineProblem p;
  thallo_free(p.solver);
  ASSERT_EQ(thallo_create_from_file(path.c_str(), options, 2, &p.solver), THALLO_OK);
  p.bind();
  p.ok(thallo_set_option(p.solver, "solver", "gn"));
  p.ok(thallo_set_option(p.solver, "nIterations", "2"));
  p.ok(thallo_solve(p.solver));
  EXPECT_EQ(p.text("schedule"), "r.fit:strategy(\"[Jt][[J]p]\")\n");
  EXPECT_EQ(p.number("iterations"), 1);  // the line is found by one
}

TEST(CSolve, GoesStepByStepAndReadsDataEachTime) {
  BoundLine p;
  p.ok(thallo_set_option(p.solver, "solver", "gn"));
  p.ok(thallo_set_option(p.solver, "linear_solver", "dense"));
  // Without tests a solve goes on at the solution, where other data may move it.
  p.ok(thallo_set_option(p.solver, "function_tolerance", "unset"));
  p.ok(thallo_set_option(p.solver, "gradient_tolerance", "0"));
  p.ok(thallo_set_option(p.solver, "parameter_tolerance", "0"));
  p.ok(thallo_begin(p.solver));
  double cost = 0;
  p.ok(thallo_current_cost(p.solver, &cost));
  EXPECT_EQ(cost, 42);
  int goes_on = 0;
  p.ok(thallo_step(p.solver, &goes_on));
  EXPECT_EQ(goes_on, 1);
  EXPECT_NEAR(p.line[0], 2, 1e-9);
  for (double& height : p.height) height *= 2;
  p.ok(thallo_bind_number(p.solver, "w", 3));
  p.ok(thallo_current_cost(p.solver, &cost));
  EXPECT_NEAR(cost, 9 * 42, 1e-6);
  p.ok(thallo_step(p.solver, &goes_on));
  EXPECT_NEAR(p.line[0], 4, 1e-9);
  p.ok(thallo_finish(p.solver));
  EXPECT_EQ(p.number("iterations"), 2);
  EXPECT_EQ(p.text("termination"), "Cancelled");
}

struct Seen {
  thallo_solver* solver = nullptr;
  std::vector<std::int64_t> iterations;
  thallo_status nested = THALLO_OK;
  thallo_status nested_free = THALLO_OK;
};

int stop_after_first(const thallo_iteration* iteration, void* user) {
  auto& seen = *static_cast<Seen*>(user);
  seen.iterations.push_back(iteration->iteration);
  seen.nested = thallo_solve(seen.solver);
  seen.nested_free = thallo_free(seen.solver);
  return iteration->iteration == 1 ? 1 : 0;
}

TEST(CSolve, IsStoppedByItsCallbackWhichMustNotUseTheSolver) {
  BoundLine p;
  Seen seen{.solver = p.solver};
  p.ok(thallo_set_callback(p.solver, stop_after_first, &seen));
  p.ok(thallo_solve(p.solver));
  EXPECT_THAT(seen.iterations, ElementsAre(0, 1));
  EXPECT_EQ(p.text("termination"), "Cancelled");
  EXPECT_EQ(seen.nested, THALLO_BUSY);
  EXPECT_EQ(seen.nested_free, THALLO_BUSY);
  EXPECT_THAT(std::string(thallo_error_text(nullptr)), HasSubstr("another call is working"));
  p.ok(thallo_set_callback(p.solver, nullptr, nullptr));
  p.ok(thallo_solve(p.solver));
  EXPECT_EQ(p.number("converged"), 1);
}

// A dim of extent 0 is data without points, such as an image without correspondences.
TEST(CSolve, TakesDimsOfExtentZero) {
  BoundLine p;
  const std::int64_t none = 0;
  p.ok(thallo_bind_array(p.solver, "time", THALLO_DOUBLE, nullptr, &none, 1));
  p.ok(thallo_bind_array(p.solver, "height", THALLO_DOUBLE, nullptr, &none, 1));
  p.ok(thallo_solve(p.solver));
  EXPECT_EQ(p.number("residuals"), 0);
  EXPECT_THAT(p.line, Each(0));
  p.ok(thallo_bind_unknown(p.solver, "line", THALLO_DOUBLE, nullptr, &none, 1));
  EXPECT_EQ(thallo_solve(p.solver), THALLO_OK) << p.error();
  EXPECT_EQ(p.number("unknowns"), 0);
}

}  // namespace
}  // namespace thallo::test
