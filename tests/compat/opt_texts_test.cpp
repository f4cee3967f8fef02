// Texts in Opt's dialect, solved through Opt's interface on arrays of the host.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "core/compat/Opt.h"
}
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

class OptTexts : public testing::Test {
 protected:
  void SetUp() override { setenv("THALLO_COMPAT_BACKEND", "interpreter", 1); }
  void TearDown() override { unsetenv("THALLO_COMPAT_BACKEND"); }

  TempDir folder_;
};

// The number of edges is read at each solve, and numbers have the types that the text declares.
TEST_F(OptTexts, ReadTheNumberOfEdgesAndNumbersOfEachType) {
  const std::string file = folder_
                               .write("springs.t", R"(
local N = Dim("N", 0)
local X = Unknown("X", opt_float, {N}, 0)
local G = Graph("G", 1, "v0", {N}, 2, "v1", {N}, 3)
local f = Param("f", float, 4)
local d = Param("d", double, 5)
local i = Param("i", int, 6)
local b = Param("b", uint8, 7)
local o = Param("o", opt_float, 8)
Energy(X(0) - f)
Energy(d * (X(G.v1) - X(G.v0) - (i + b + o)))
)")
                               .string();
  for (const int is_double : {0, 1}) {
    Opt_InitializationParameters init = {};
    init.doublePrecision = is_double;
    Opt_State* state = Opt_NewState(init);
    Opt_Problem* problem = Opt_ProblemDefine(state, file.c_str(), "gaussNewtonGPU");
    unsigned dimensions[] = {3};
    Opt_Plan* plan = Opt_ProblemPlan(state, problem, dimensions);
    ASSERT_NE(plan, nullptr);
    std::vector<float> x_float(3);
    std::vector<double> x_double(3);
    int count = 1;
    std::vector<int> v0 = {0, 1}, v1 = {1, 2};
    float f = 2, o_float = 0.5F;
    double d = 3, o_double = 0.5;
    int i = 2;
    unsigned char b = 1;
    void* params[] = {is_double ? static_cast<void*>(x_double.data()) : x_float.data(),
                      &count,
                      v0.data(),
                      v1.data(),
                      &f,
                      &d,
                      &i,
                      &b,
                      is_double ? static_cast<void*>(&o_double) : &o_float};
    const auto x = [&](std::size_t n) {
      return is_double ? x_double[n] : static_cast<double>(x_float[n]);
    };
    Opt_ProblemSolve(state, plan, params);
    // One spring of length 3.5 between the first two: they move apart by 2 k 3.5 / (1 + 2 k) with
    // k = d².
    const double apart = 2 * 9 * 3.5 / (1 + 2 * 9);
    EXPECT_NEAR(x(1) - x(0), apart, 1e-3);
    EXPECT_NEAR(x(2), 2, 1e-3);
    count = 2;
    Opt_ProblemSolve(state, plan, params);
    EXPECT_GT(x(2) - x(1), 3);
    EXPECT_NEAR(x(0) + x(1) + x(2), 6, 1e-2);
    i = -2;
    b = 0;
    count = 1;
    Opt_ProblemSolve(state, plan, params);
    EXPECT_NEAR(x(1) - x(0), apart * -1.5 / 3.5, 1e-3);
    Opt_PlanFree(state, plan);
    Opt_ProblemDelete(state, problem);
  }
}

}  // namespace
}  // namespace thallo::test
