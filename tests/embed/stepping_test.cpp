// EnergySolver step by step: arrays and numbers are read at every step.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::Each, testing::ElementsAre;

// X is near A, with weight w, and near what it is paired with.
constexpr std::string_view Pairs = R"(
local N, M = Dims("N", "M")
Inputs { X = Unknown(float, {N}), A = Array(double, {N}), w = Param(float),
         from = Sparse({M}, {N}), to = Sparse({M}, {N}) }
local n, m = N(), M()
Residuals { fit = w * (X(n) - A(n)), pair = X(from(m)) - X(to(m)) }
)";

struct Data {
  std::vector<double> x = {0, 0, 0}, a = {1, 2, 6};
  std::vector<std::int32_t> from = {0}, to = {1};
};

EnergySolver pairs_solver(Data& data, EnergySolverOptions options = {.backend = "interpreter"}) {
  auto solver = EnergySolver::load_text(Pairs, "pairs.lua", std::move(options));
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  solver->bind("X", data.x, {3}).bind("A", data.a).bind("w", 1);
  solver->bind("from", data.from).bind("to", data.to);
  return *std::move(solver);
}

SolverOptions gauss_newton(int iterations) {
  SolverOptions options;
  options.num_iterations = iterations;
  options.linear_solver = "dense";
  return options;
}

template <class T>
std::string message_of(const Expected<T>& result) {
  return result ? "" : result.error().message();
}

class Stepping : public testing::TestWithParam<std::string> {};

TEST_P(Stepping, WithoutChangesIsSolve) {
  for (const std::string solver_text : {"gn", "lm"}) {
    SolverOptions options;
    ASSERT_TRUE(options.set("solver", solver_text));
    Data solved, stepped;
    EnergySolver whole = pairs_solver(solved, {.backend = GetParam()});
    EnergySolver parts = pairs_solver(stepped, {.backend = GetParam()});
    const auto expected = whole.solve(options);
    ASSERT_TRUE(expected) << message_of(expected);
    const auto begun = parts.begin(options);
    ASSERT_TRUE(begun) << message_of(begun);
    EXPECT_THAT(stepped.x, Each(0));
    EXPECT_EQ(*parts.current_cost(), expected->initial_cost);
    for (std::size_t i = 1;; ++i) {
      const auto more = parts.step();
      ASSERT_TRUE(more) << message_of(more);
      if (!*more) break;
      EXPECT_EQ(*parts.current_cost(), expected->iterations[i].cost);
    }
    const auto summary = parts.finish();
    ASSERT_TRUE(summary) << message_of(summary);
    EXPECT_EQ(stepped.x, solved.x);
    EXPECT_EQ(summary->final_cost, expected->final_cost);
    EXPECT_EQ(summary->iterations.size(), expected->iterations.size());
    EXPECT_EQ(summary->termination, expected->termination);
    EXPECT_EQ(summary->num_residuals, expected->num_residuals);
    EXPECT_EQ(summary->changed_cost, std::nullopt) << "nothing has changed";
  }
}

// A in the memory of X is where X began, until it is bound to other memory.
TEST_P(Stepping, DataInTheMemoryOfAnUnknownStayAsTheyWere) {
  Data apart, shared;
  shared.x = apart.x = apart.a;
  EnergySolver two = pairs_solver(apart, {.backend = GetParam()});
  EnergySolver one = pairs_solver(shared, {.backend = GetParam()});
  one.bind("A", shared.x);
  for (EnergySolver* solver : {&two, &one}) {
    ASSERT_TRUE(solver->begin(gauss_newton(20)));
    ASSERT_TRUE(solver->step());
    ASSERT_TRUE(solver->step());
  }
  EXPECT_EQ(shared.x, apart.x);
  EXPECT_THAT(shared.x, ElementsAre(DoubleNear(4.0 / 3, 1e-9), DoubleNear(5.0 / 3, 1e-9),
                                    DoubleNear(6, 1e-9)));
  // Of the same memory, bound again.
  one.bind("A", shared.x);
  EXPECT_EQ(*one.current_cost(), *two.current_cost());
  std::vector<double> others = {3, 3, 3};
  one.bind("A", others);
  ASSERT_TRUE(one.step());
  EXPECT_THAT(shared.x, Each(DoubleNear(3, 1e-9)));
  // Bound now, it is what X is now.
  others = {7, 8, 9};
  one.bind("A", shared.x);
  ASSERT_TRUE(one.step());
  EXPECT_THAT(shared.x, Each(DoubleNear(3, 1e-9)));
  ASSERT_TRUE(one.finish());

  shared.x = {1, 2, 6};
  ASSERT_TRUE(one.solve(gauss_newton(20)));
  EXPECT_EQ(shared.x, apart.x) << "a new solve reads the data anew";
}

INSTANTIATE_TEST_SUITE_P(Backends, Stepping, testing::Values("interpreter", "cpu"),
                         [](const auto& test) { return test.param; });

TEST(EnergySolverSteps, ReadNumbersAndArraysEachTime) {
  Data data;
  EnergySolver solver = pairs_solver(data);
  ASSERT_TRUE(solver.begin(gauss_newton(10)));
  const double compiled = solver.compile_seconds();
  ASSERT_TRUE(solver.step());
  EXPECT_THAT(data.x, ElementsAre(DoubleNear(4.0 / 3, 1e-9), DoubleNear(5.0 / 3, 1e-9),
                                  DoubleNear(6, 1e-9)));
  solver.bind("w", 10);
  data.a[2] = 7;
  // 1/2 (100 (1/9 + 1/9 + 1) + 1/9)
  EXPECT_NEAR(*solver.current_cost(), 61 + 1.0 / 6, 1e-9);
  ASSERT_TRUE(solver.step());
  EXPECT_THAT(data.x, ElementsAre(DoubleNear(1 + 1.0 / 102, 1e-9), DoubleNear(2 - 1.0 / 102, 1e-9),
                                  DoubleNear(7, 1e-9)));
  data.x = {100, 100, 100};
  EXPECT_GT(*solver.current_cost(), 1e6) << "unknowns are read, too";
  ASSERT_TRUE(solver.step());
  EXPECT_NEAR(data.x[2], 7, 1e-9);
  EXPECT_EQ(solver.compile_seconds(), compiled);
  const auto summary = solver.finish();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->num_iterations, 3);
  EXPECT_TRUE(summary->changed_cost);
}

TEST(EnergySolverSteps, TakeOtherMapsAndOtherExtents) {
  Data data;
  EnergySolver solver = pairs_solver(data);
  ASSERT_TRUE(solver.begin(gauss_newton(10)));
  ASSERT_TRUE(solver.step());
  const double compiled = solver.compile_seconds();
  data.from[0] = 2;
  ASSERT_TRUE(solver.step());
  EXPECT_NEAR(data.x[0], 1, 1e-9);
  EXPECT_NEAR(data.x[2], 6 - 4.0 / 3, 1e-9);
  std::vector<std::int32_t> none;
  solver.bind("from", none, {0}).bind("to", none, {0});
  const auto more = solver.step();
  ASSERT_TRUE(more) << message_of(more);
  EXPECT_THAT(data.x, ElementsAre(DoubleNear(1, 1e-9), DoubleNear(2, 1e-9), DoubleNear(6, 1e-9)));
  EXPECT_EQ(solver.compile_seconds(), compiled);
  EXPECT_EQ(solver.finish()->num_residuals, 3);
}

}  // namespace
}  // namespace thallo
