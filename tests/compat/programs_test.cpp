// Programs in the manner of the published mains, on arrays of the host.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

// As programs in C++ include the published headers.
extern "C" {
#include "core/compat/Opt.h"
#include "core/compat/Thallo.h"
}
#include "core/embed/energy_solver.h"
#include "tests/compat/mains.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::DoubleNear, testing::Each, testing::ElementsAre;

constexpr const char* Smooth = R"(
local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1), w = Param(float, 2) }
local x, y = W(), H()
Residuals { fit = w * (X(x, y) - A(x, y)), right = X(x, y) - X(x + 1, y) }
)";

std::vector<float> noise(std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::sin(static_cast<float>(7 * i)));
  return values;
}

// The drop-ins for the host: THALLO_COMPAT_BACKEND makes Opt's arrays those of the host.
class Programs : public testing::Test {
 protected:
  void SetUp() override { setenv("THALLO_COMPAT_BACKEND", "interpreter", 1); }
  void TearDown() override { unsetenv("THALLO_COMPAT_BACKEND"); }

  std::string write(const char* name, const std::string& text) {
    return folder_.write(name, text).string();
  }

  TempDir folder_;
};

Thallo_State* new_state(int is_double = 0) {
  Thallo_InitializationParameters init = {};
  init.doublePrecision = is_double;
  init.cpuOnly = 1;
  return Thallo_NewState(init);
}

TEST_F(Programs, InThalloStepWithRampedWeights) {
  const std::string file = write("smooth.lua", Smooth);
  const std::vector<float> noisy = noise(6 * 5);
  std::vector<float> image(noisy.size(), 0.0F), expected = image;
  double cost = 0;
  EXPECT_EQ(smooth_by_thallo(file.c_str(), image.data(), noisy.data(), 6, 5, 4, &cost), 4);

  auto solver = EnergySolver::load(file, {.backend = "interpreter"});
  ASSERT_TRUE(solver);
  double weight = 1;
  solver->bind("X", expected, {6, 5}).bind("A", noisy).bind("w", weight);
  SolverOptions options;
  options.linear_solver = "pcg";
  options.preconditioner = "none";  // as published
  options.num_iterations = 4;
  options.num_linear_iterations = 20;
  ASSERT_TRUE(solver->begin(options));
  for (bool more = true; more;) {
    const auto step = solver->step();
    ASSERT_TRUE(step) << step.error().message();
    more = *step;
    solver->bind("w", weight *= 2);
  }
  EXPECT_EQ(image, expected);
  EXPECT_EQ(cost, solver->finish()->final_cost);
}

TEST_F(Programs, InOptSolve) {
  const std::string file = write("smooth.lua", Smooth);
  const std::vector<float> noisy = noise(6 * 5);
  std::vector<float> image(noisy.size(), 0.0F);
  double cost = 0;
  EXPECT_EQ(smooth_by_opt(file.c_str(), image.data(), noisy.data(), 6, 5, 1000, &cost), 1);
  for (std::size_t i = 0; i < image.size(); ++i) EXPECT_NEAR(image[i], noisy[i], 1e-4);
  EXPECT_GT(cost, 0);
}

// A graph in Opt's dialect: the number of its edges is a parameter, which is read by every solve.
TEST_F(Programs, InOptCountTheEdgesOfAGraphAnewInEverySolve) {
  const std::string file = write("graph.t", R"(
local N = Dim("N", 0)
local X = Unknown("X", opt_float, {N}, 0)
local A = Array("A", opt_float, {N}, 1)
local w = Param("w", float, 2)
local G = Graph("G", 3, "v0", {N}, 4, "v1", {N}, 5)
Energy(w * (X(0) - A(0)))
Energy(X(G.v0) - X(G.v1))
)");
  for (const int is_double : {0, 1}) {
    Opt_InitializationParameters init = {};
    init.doublePrecision = is_double;
    Opt_State* state = Opt_NewState(init);
    Opt_Problem* problem = Opt_ProblemDefine(state, file.c_str(), "gaussNewtonGPU");
    unsigned dimensions[] = {3};
    Opt_Plan* plan = Opt_ProblemPlan(state, problem, dimensions);
    ASSERT_NE(plan, nullptr);
    std::vector<float> x_float(3), a_float = {1, 2, 6};
    std::vector<double> x_double(3), a_double = {1, 2, 6};
    float weight = 1;
    int num_edges = 1, v0[] = {0, 1}, v1[] = {1, 2};
    void* params[] = {is_double ? static_cast<void*>(x_double.data()) : x_float.data(),
                      is_double ? static_cast<void*>(a_double.data()) : a_float.data(),
                      &weight,
                      &num_edges,
                      v0,
                      v1};
    const auto x = [&](std::size_t i) {
      return is_double ? x_double[i] : static_cast<double>(x_float[i]);
    };
    Opt_ProblemSolve(state, plan, params);
    EXPECT_NEAR(x(0), 4.0 / 3, 1e-4);
    EXPECT_NEAR(x(1), 5.0 / 3, 1e-4);
    EXPECT_NEAR(x(2), 6, 1e-4);
    num_edges = 2;
    Opt_ProblemSolve(state, plan, params);
    // (2 -1 0; -1 3 -1; 0 -1 2) x = (1, 2, 6)
    EXPECT_NEAR(x(0), 1.875, 1e-4);
    EXPECT_NEAR(x(1), 2.75, 1e-4);
    EXPECT_NEAR(x(2), 4.375, 1e-4);
    num_edges = 0;
    Opt_ProblemInit(state, plan, params);
    while (Opt_ProblemStep(state, plan, params) != 0) {
    }
    EXPECT_NEAR(x(1), 2, 1e-4);
    EXPECT_NEAR(Opt_ProblemCurrentCost(state, plan), 0, 1e-6);
    Opt_PlanFree(state, plan);
    Opt_ProblemDelete(state, problem);
  }
}

// Arrays of every type, in both precisions.
TEST_F(Programs, TakeArraysOfTheDeclaredTypes) {
  const std::string file = write("types.lua", R"(
local N, M = Dims("N", "M")
Inputs { X = Unknown(thallo_float, {N}, 0), D = Array(double, {N}, 1), F = Array(float, {N}, 2),
         B = Array(uint8, {N}, 3), T = Array(thallo_float, {N}, 4), to = Sparse({M}, {N}, 6) }
local n, m = N(), M()
Residuals { a = X(n) - D(n) - F(n) - B(n) - T(n), b = X(to(m)) - 10 })");
  std::vector<double> d = {0.5, 0.25}, x_double = {0, 0}, t_double = {1, 1};
  std::vector<float> f = {1, 2}, x_float = {0, 0}, t_float = {1, 1};
  std::vector<unsigned char> b = {1, 2};
  std::vector<int> to = {1};
  for (const int is_double : {0, 1}) {
    Thallo_State* state = new_state(is_double);
    Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "levenberg_marquardt");
    unsigned dimensions[] = {2, 1};
    Thallo_Plan* plan = Thallo_ProblemPlan(state, problem, dimensions);
    ASSERT_NE(plan, nullptr);
    int iterations = 50;
    Thallo_SetSolverParameter(state, plan, "nIterations", &iterations);
    void* params[] = {is_double ? static_cast<void*>(x_double.data()) : x_float.data(),
                      d.data(),
                      f.data(),
                      b.data(),
                      is_double ? static_cast<void*>(t_double.data()) : t_float.data(),
                      nullptr,
                      to.data()};
    Thallo_ProblemSolve(state, plan, params);
    Thallo_PlanFree(state, plan);
    Thallo_ProblemDelete(state, problem);
  }
  EXPECT_THAT(x_double, ElementsAre(DoubleNear(3.5, 1e-3), DoubleNear((5.25 + 10) / 2, 1e-3)));
  EXPECT_NEAR(x_float[0], 3.5, 1e-3);
  EXPECT_NEAR(x_float[1], 7.625, 1e-3);
}

TEST_F(Programs, SeveralPlansLiveAtTheSameTime) {
  const std::string file = write("smooth.lua", Smooth);
  Thallo_State* state = new_state();
  Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "gauss_newton");
  std::vector<float> a(4), b(6), noisy(6, 2.0F);
  float weight = 1;
  unsigned small[] = {2, 2}, large[] = {3, 2};
  Thallo_Plan* first = Thallo_ProblemPlan(state, problem, small);
  Thallo_Plan* second = Thallo_ProblemPlan(state, problem, large);
  ASSERT_TRUE(first != nullptr && second != nullptr && first != second);
  void* params_a[] = {a.data(), noisy.data(), &weight};
  void* params_b[] = {b.data(), noisy.data(), &weight};
  Thallo_ProblemInit(state, first, params_a);
  Thallo_ProblemInit(state, second, params_b);
  bool more = true;
  while (more) {
    const int one = Thallo_ProblemStep(state, first, params_a);
    more = Thallo_ProblemStep(state, second, params_b) != 0 || one != 0;
  }
  EXPECT_THAT(a, Each(testing::FloatNear(a[0], 1)));
  EXPECT_LT(Thallo_ProblemCurrentCost(state, first), Thallo_ProblemCurrentCost(state, second));
  Thallo_PlanFree(state, first);
  Thallo_PlanFree(state, second);
  Thallo_ProblemDelete(state, problem);
}

TEST_F(Programs, PlansComeAndGo) {
  const std::string file = write("smooth.lua", Smooth);
  Thallo_State* state = new_state();
  Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "gauss_newton");
  unsigned dimensions[] = {2, 2};
  for (int i = 0; i < 1000; ++i) {
    Thallo_Plan* plan = Thallo_ProblemPlan(state, problem, dimensions);
    ASSERT_NE(plan, nullptr);
    Thallo_PlanFree(state, plan);
  }
  Thallo_ProblemDelete(state, problem);
}

TEST_F(Programs, ReadAndSetParametersByPointer) {
  const std::string file = write("smooth.lua", Smooth);
  Thallo_State* state = new_state();
  Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "levenberg_marquardt");
  unsigned dimensions[] = {2, 2};
  Thallo_Plan* plan = Thallo_ProblemPlan(state, problem, dimensions);
  ASSERT_NE(plan, nullptr);
  const auto number = [&](const char* name) {
    float value = -1;
    Thallo_GetSolverParameter(state, plan, name, &value);
    return value;
  };
  const auto count = [&](const char* name) {
    int value = -1;
    Thallo_GetSolverParameter(state, plan, name, &value);
    return value;
  };
  EXPECT_EQ(count("nIterations"), 10);
  EXPECT_EQ(count("lIterations"), 10);
  EXPECT_EQ(count("residual_reset_period"), 10);
  EXPECT_EQ(number("function_tolerance"), 1e-6F);
  EXPECT_EQ(number("q_tolerance"), 1e-4F);
  EXPECT_EQ(number("trust_region_radius"), 1e4F);
  EXPECT_EQ(number("max_solver_time_in_seconds"), 0);
  float radius = 12.5F;
  Thallo_SetSolverParameter(state, plan, "trust_region_radius", &radius);
  EXPECT_EQ(number("trust_region_radius"), 12.5F);
  EXPECT_EQ(count("nIter"), 0);
  Thallo_PlanFree(state, plan);
  Thallo_ProblemDelete(state, problem);
}

}  // namespace
}  // namespace thallo::test
