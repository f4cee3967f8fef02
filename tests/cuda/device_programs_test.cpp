// Programs for the C interfaces, on arrays in the memory of the GPU.
#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// As programs in C++ include the published headers.
extern "C" {
#include "core/compat/Opt.h"
#include "core/compat/Thallo.h"
}
#include "core/c/thallo.h"
#include "core/embed/energy_solver.h"
#include "tests/cuda/gpu_memory.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* Smooth = R"(
local W, H = Dims("W", "H")
Inputs { X = Unknown(thallo_float, {W, H}, 0), A = Array(thallo_float, {W, H}, 1),
         w = Param(float, 2) }
local x, y = W(), H()
Residuals { fit = w * (X(x, y) - A(x, y)), right = X(x, y) - X(x + 1, y) }
)";

constexpr const char* Springs = R"(
local N = Dim("N", 0)
local X = Unknown("X", opt_float, {N}, 0)
local A = Array("A", opt_float, {N}, 1)
local w = Param("w", float, 2)
local G = Graph("G", 3, "v0", {N}, 4, "v1", {N}, 5)
Energy(w * (X(0) - A(0)))
Energy(X(G.v0) - X(G.v1))
)";

template <class T>
std::vector<T> noise(std::size_t count) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::sin(static_cast<T>(7 * i)));
  return values;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 1e-4) << i;
}

// The weight is ramped between steps. Two plans take turns, one of another size.
template <class T>
void step_with_ramped_weights(const std::string& file) {
  Thallo_InitializationParameters init = {};
  init.doublePrecision = sizeof(T) == sizeof(double) ? 1 : 0;
  Thallo_State* state = Thallo_NewState(init);
  Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "gauss_newton");
  unsigned large[] = {40, 30}, small[] = {8, 4};
  Thallo_Plan* plans[] = {Thallo_ProblemPlan(state, problem, large),
                          Thallo_ProblemPlan(state, problem, small)};
  ASSERT_TRUE(plans[0] != nullptr && plans[1] != nullptr);
  const std::vector<T> noisy[] = {noise<T>(40 * 30), noise<T>(8 * 4)};
  OnGpu<T> x0(std::vector<T>(40 * 30)), a0(noisy[0]), x1(std::vector<T>(8 * 4)), a1(noisy[1]);
  float weight = 1;
  void* params[][3] = {{x0.pointer(), a0.pointer(), &weight},
                       {x1.pointer(), a1.pointer(), &weight}};
  for (std::size_t i = 0; i < 2; ++i) {
    int steps = 4;
    Thallo_SetSolverParameter(state, plans[i], "nIterations", &steps);
    Thallo_ProblemInit(state, plans[i], params[i]);
  }
  int num_steps[] = {0, 0};
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < 2; ++i) {
      if (Thallo_ProblemStep(state, plans[i], params[i]) == 0) continue;
      ++num_steps[i];
      more = true;
    }
    weight *= 2;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(num_steps[i], 4);
    const std::int64_t w = i == 0 ? 40 : 8, h = i == 0 ? 30 : 4;
    auto solver = EnergySolver::load(file, {.backend = "cpu"});
    ASSERT_TRUE(solver);
    std::vector<T> expected(noisy[i].size());
    double ramped = 1;
    solver->bind("X", expected, {w, h}).bind("A", noisy[i]).bind("w", ramped);
    SolverOptions options;
    options.linear_solver = "pcg";
    options.preconditioner = "none";
    options.num_iterations = 4;
    ASSERT_TRUE(solver->begin(options));
    for (bool more = true; more;) {
      const auto step = solver->step();
      ASSERT_TRUE(step) << step.error().message();
      more = *step;
      solver->bind("w", ramped *= 2);
    }
    expect_near((i == 0 ? x0 : x1).get(), expected);
    EXPECT_NEAR(Thallo_ProblemCurrentCost(state, plans[i]) / solver->finish()->final_cost, 1, 1e-4);
    Thallo_PlanFree(state, plans[i]);
  }
  Thallo_ProblemDelete(state, problem);
}

TEST(DevicePrograms, OfThalloStepWithRampedWeights) {
  THALLO_REQUIRE_GPU();
  const TempDir folder;
  const std::string file = folder.write("smooth.lua", Smooth).string();
  step_with_ramped_weights<float>(file);
  step_with_ramped_weights<double>(file);
}

TEST(DevicePrograms, OfOptSolveGraphsWhoseNumberOfEdgesChanges) {
  THALLO_REQUIRE_GPU();
  const TempDir folder;
  const std::string file = folder.write("springs.t", Springs).string();
  Opt_InitializationParameters init = {};
  Opt_State* state = Opt_NewState(init);
  Opt_Problem* problem = Opt_ProblemDefine(state, file.c_str(), "gaussNewtonGPU");
  unsigned dimensions[] = {3};
  Opt_Plan* plan = Opt_ProblemPlan(state, problem, dimensions);
  ASSERT_NE(plan, nullptr);
  const OnGpu<float> x({0, 0, 0}), a({1, 2, 6});
  const OnGpu<std::int32_t> v0({0, 1}), v1({1, 2});
  float weight = 1;
  int num_edges = 1;
  void* params[] = {x.pointer(), a.pointer(), &weight, &num_edges, v0.pointer(), v1.pointer()};
  Opt_ProblemSolve(state, plan, params);
  expect_near(x.get(), {4.0F / 3, 5.0F / 3, 6});
  num_edges = 2;
  Opt_ProblemSolve(state, plan, params);
  expect_near(x.get(), {1.875F, 2.75F, 4.375F});
  Opt_PlanFree(state, plan);
  Opt_ProblemDelete(state, problem);
}

TEST(DevicePrograms, ManyPlansDoNotGrow) {
  THALLO_REQUIRE_GPU();
  const TempDir folder;
  const std::string file = folder.write("smooth.lua", Smooth).string();
  Thallo_State* state = Thallo_NewState({});
  Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "gauss_newton");
  const OnGpu<float> x(std::vector<float>(40 * 30)), a(noise<float>(40 * 30));
  float weight = 1;
  void* params[] = {x.pointer(), a.pointer(), &weight};
  unsigned dimensions[] = {40, 30};
  std::size_t before = 0, after = 0;
  for (int i = 0; i < 1000; ++i) {
    Thallo_Plan* plan = Thallo_ProblemPlan(state, problem, dimensions);
    ASSERT_NE(plan, nullptr);
    if (i % 10 == 0) Thallo_ProblemSolve(state, plan, params);
    Thallo_PlanFree(state, plan);
    if (i == 100 || i == 999) (i == 100 ? before : after) = gpu().free_bytes();
  }
  EXPECT_GE(after + (std::size_t{8} << 20), before);
  Thallo_ProblemDelete(state, problem);
}

// thallo.h, with an array of other strides on a stream. Nothing moves after the first solve, which
// looks at the data once to choose the precision.
TEST(DevicePrograms, OfThalloHMoveNothing) {
  THALLO_REQUIRE_GPU();
  const thallo_option options[] = {{"backend", "cuda"}, {"schedule", "default"}};
  thallo_solver* solver = nullptr;
  ASSERT_EQ(thallo_create_from_text(Smooth, "smooth.lua", options, 2, &solver), THALLO_OK);
  const std::vector<float> noisy = noise<float>(40 * 30);
  std::vector<float> wide(2 * noisy.size());
  for (std::size_t i = 0; i < noisy.size(); ++i) wide[2 * i] = noisy[i];
  OnGpu<float> x(std::vector<float>(noisy.size())), a(wide);
  const GpuStream stream;
  const std::int64_t extents[] = {40, 30}, strides[] = {2, 80};
  ASSERT_EQ(thallo_bind_device_unknown(solver, "X", THALLO_FLOAT, x.pointer(), extents, 2, nullptr,
                                       0, stream.get()),
            THALLO_OK);
  ASSERT_EQ(thallo_bind_device_array(solver, "A", THALLO_FLOAT, a.pointer(), extents, 2, strides, 2,
                                     nullptr),
            THALLO_OK);
  thallo_bind_number(solver, "w", 1000);
  ASSERT_EQ(thallo_solve(solver), THALLO_OK) << thallo_error_text(solver);
  expect_near(x.get(), noisy);
  double moved = -1, moved_by_both = -1;
  thallo_summary_number(solver, "bytes_moved", &moved);
  EXPECT_EQ(moved, 2 * 40 * 30 * sizeof(float));
  ASSERT_EQ(thallo_solve(solver), THALLO_OK) << thallo_error_text(solver);
  thallo_summary_number(solver, "bytes_moved", &moved_by_both);
  EXPECT_EQ(moved_by_both, moved);

  std::vector<float> host(noisy.size());
  thallo_bind_device_array(solver, "A", THALLO_FLOAT, host.data(), extents, 2, nullptr, 0, nullptr);
  EXPECT_EQ(thallo_solve(solver), THALLO_INVALID_INPUT);
  EXPECT_THAT(thallo_error_text(solver), HasSubstr("array 'A' over (W, H): its address"));
  thallo_free(solver);
}

TEST(DevicePrograms, OfThePublishedSystemsEndForAddressesOfTheHost) {
  THALLO_REQUIRE_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork cannot use the driver
  const TempDir folder;
  const std::string file = folder.write("smooth.lua", Smooth).string();
  Thallo_State* state = Thallo_NewState({});
  Thallo_Problem* problem = Thallo_ProblemDefine(state, file.c_str(), "gauss_newton");
  unsigned dimensions[] = {4, 3};
  Thallo_Plan* plan = Thallo_ProblemPlan(state, problem, dimensions);
  ASSERT_NE(plan, nullptr);
  std::vector<float> x(12), a(12);
  float weight = 1;
  void* params[] = {x.data(), a.data(), &weight};
  EXPECT_EXIT(Thallo_ProblemSolve(state, plan, params), testing::ExitedWithCode(1),
              "is in no memory of a device");
  Thallo_PlanFree(state, plan);
  Thallo_ProblemDelete(state, problem);
}

}  // namespace
}  // namespace thallo::test
