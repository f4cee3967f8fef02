// Problems of the plugins, and schedules that are set and explained, through thallo.h.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/c/thallo.h"
#include "tests/c/line_problem.h"

namespace thallo::test {
namespace {

using ::testing::HasSubstr;

thallo_problem find_listed(const std::string& name, size_t* number) {
  size_t count = 0;
  EXPECT_EQ(thallo_count_problems(&count), THALLO_OK);
  for (*number = 0; *number < count; ++*number) {
    thallo_problem problem = {};
    EXPECT_EQ(thallo_get_problem(*number, &problem), THALLO_OK);
    if (name == problem.name) return problem;
  }
  ADD_FAILURE() << "there is no problem " << name;
  return {};
}

TEST(CProblems, AreListedWithTheirOptions) {
  size_t number = 0;
  const thallo_problem problem = find_listed("image_warping", &number);
  EXPECT_THAT(problem.title, HasSubstr("arping"));
  std::string size_type;
  for (size_t i = 0; i < problem.num_options; ++i) {
    thallo_problem_option option = {};
    ASSERT_EQ(thallo_get_problem_option(number, i, &option), THALLO_OK);
    EXPECT_STRNE(option.doc, "") << option.name;
    if (std::string(option.name) == "size") size_type = option.type;
  }
  EXPECT_EQ(size_type, "int");

  thallo_problem_option option = {};
  EXPECT_EQ(thallo_get_problem_option(number, problem.num_options, &option),
            THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(thallo_error_text(nullptr), HasSubstr("and none of the number"));
  EXPECT_EQ(thallo_get_problem(100000, nullptr), THALLO_INVALID_ARGUMENT);
  thallo_problem none = {};
  EXPECT_EQ(thallo_get_problem(100000, &none), THALLO_INVALID_ARGUMENT);
}

class CProblem : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<thallo_option> small = {{"size", "16"}, {"solves", "2"}};
    const thallo_option backend = {"backend", "interpreter"};
    ASSERT_EQ(thallo_create_from_problem("image_warping", small.data(), small.size(), &backend, 1,
                                         &solver_),
              THALLO_OK)
        << thallo_error_text(nullptr);
    ASSERT_EQ(thallo_set_option(solver_, "nIterations", "2"), THALLO_OK);
  }
  void TearDown() override { EXPECT_EQ(thallo_free(solver_), THALLO_OK); }

  thallo_value value(const char* name) {
    thallo_value found = {};
    EXPECT_EQ(thallo_get_instance_value(solver_, name, &found), THALLO_OK)
        << thallo_error_text(solver_);
    return found;
  }
  double solve() {
    EXPECT_EQ(thallo_solve(solver_), THALLO_OK) << thallo_error_text(solver_);
    double cost = 0;
    EXPECT_EQ(thallo_summary_number(solver_, "initial_cost", &cost), THALLO_OK);
    return cost;
  }

  thallo_solver* solver_ = nullptr;
};

TEST_F(CProblem, ItsArraysAreBoundAndMayBeChanged) {
  const thallo_value offset = value("Offset");
  ASSERT_EQ(offset.type, THALLO_DOUBLE);
  auto* values = static_cast<double*>(offset.values);
  const std::vector<double> start(values, values + offset.num_values);
  EXPECT_EQ(offset.num_values, 2 * static_cast<size_t>(value("W").number * value("H").number));
  EXPECT_EQ(value("W").values, nullptr);
  const double cost = solve();
  EXPECT_NE(std::vector<double>(values, values + offset.num_values), start);
  for (size_t i = 0; i < start.size(); ++i) values[i] = start[i] + static_cast<float>(i % 3);
  EXPECT_GT(solve(), cost);
}

TEST_F(CProblem, ASolveIsPreparedOnce) {
  solve();
  int goes_on = 0;
  ASSERT_EQ(thallo_advance(solver_, &goes_on), THALLO_OK) << thallo_error_text(solver_);
  ASSERT_EQ(goes_on, 1);
  goes_on = 7;
  EXPECT_EQ(thallo_advance(solver_, &goes_on), THALLO_WRONG_ORDER);
  EXPECT_THAT(thallo_error_text(solver_), HasSubstr("has prepared the next solve already"));
  EXPECT_EQ(goes_on, 7);
  // A solve in steps is one, too.
  ASSERT_EQ(thallo_begin(solver_), THALLO_OK) << thallo_error_text(solver_);
  ASSERT_EQ(thallo_finish(solver_), THALLO_OK) << thallo_error_text(solver_);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(thallo_advance(solver_, &goes_on), THALLO_OK) << thallo_error_text(solver_);
    EXPECT_EQ(goes_on, 0) << "the problem has two solves";
  }
}

TEST_F(CProblem, BadCallsAreRefused) {
  thallo_value found = {};
  EXPECT_EQ(thallo_get_instance_value(solver_, "Ofset", &found), THALLO_INVALID_INPUT);
  EXPECT_THAT(thallo_error_text(solver_), HasSubstr("did you mean 'Offset'"));
  EXPECT_EQ(thallo_get_instance_value(solver_, nullptr, &found), THALLO_INVALID_ARGUMENT);
  int goes_on = 0;
  EXPECT_EQ(thallo_advance(solver_, &goes_on), THALLO_WRONG_ORDER) << "nothing was solved";
  EXPECT_EQ(thallo_advance(solver_, nullptr), THALLO_INVALID_ARGUMENT);

  LineProblem line;
  EXPECT_EQ(thallo_get_instance_value(line.solver, "line", &found), THALLO_WRONG_ORDER);
  EXPECT_EQ(thallo_advance(line.solver, &goes_on), THALLO_WRONG_ORDER);
  EXPECT_THAT(line.error(), HasSubstr("thallo_create_from_problem()"));

  thallo_solver* other = solver_;
  const thallo_option sice = {"sice", "16"}, no_value = {"size", nullptr};
  EXPECT_EQ(thallo_create_from_problem("image_warping", &sice, 1, nullptr, 0, &other),
            THALLO_INVALID_OPTION);
  EXPECT_EQ(other, nullptr);
  EXPECT_THAT(thallo_error_text(nullptr), HasSubstr("has no option 'sice'; did you mean 'size'"));
  EXPECT_EQ(thallo_create_from_problem("image_warping", &no_value, 1, nullptr, 0, &other),
            THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_create_from_problem("image_warping", nullptr, 1, nullptr, 0, &other),
            THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_create_from_problem("image_warp", nullptr, 0, nullptr, 0, &other),
            THALLO_INVALID_OPTION);
  EXPECT_THAT(thallo_error_text(nullptr), HasSubstr("did you mean 'image_warping'"));
}

TEST_F(CProblem, ASolveCompilesTheScheduleThatIsSet) {
  const auto schedule = [&] {
    solve();
    const char* text = nullptr;
    EXPECT_EQ(thallo_summary_text(solver_, "schedule", &text), THALLO_OK);
    return std::string(text);
  };
  ASSERT_EQ(thallo_set_schedule(solver_, "default"), THALLO_OK);
  EXPECT_EQ(schedule(), "");
  ASSERT_EQ(thallo_set_schedule(solver_, "published-default"), THALLO_OK);
  const std::string published = schedule();
  EXPECT_NE(published, "");
  ASSERT_EQ(thallo_set_schedule_text(solver_, ""), THALLO_OK);
  EXPECT_EQ(schedule(), "");
  ASSERT_EQ(thallo_set_schedule_text(solver_, published.c_str()), THALLO_OK);
  EXPECT_EQ(schedule(), published);

  EXPECT_EQ(thallo_set_schedule(solver_, "no such"), THALLO_INVALID_ENERGY);
  EXPECT_THAT(thallo_error_text(solver_), HasSubstr("no schedule 'no such'"));
  EXPECT_EQ(thallo_set_schedule_text(solver_, "nothing:materialize(true)"), THALLO_INVALID_ENERGY);
  EXPECT_EQ(thallo_set_schedule_text(solver_, nullptr), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(schedule(), published);
  ASSERT_EQ(thallo_begin(solver_), THALLO_OK);
  EXPECT_EQ(thallo_set_schedule(solver_, "default"), THALLO_WRONG_ORDER);
  const char* text = nullptr;
  EXPECT_EQ(thallo_explain(solver_, &text), THALLO_WRONG_ORDER);
}

TEST(CSchedules, WhatIsNotBoundIsNotExplained) {
  LineProblem line;
  const char* text = nullptr;
  EXPECT_EQ(thallo_explain(line.solver, &text), THALLO_INVALID_INPUT);
  EXPECT_EQ(text, nullptr);
}

}  // namespace
}  // namespace thallo::test
