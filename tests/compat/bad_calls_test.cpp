// Faults of programs: a plan that is NULL with a sentence, or the end of the program with one.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/compat/Opt.h"
#include "core/compat/Thallo.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* Near = R"(
local N = Dims("N")
Inputs { X = Unknown(float, {N}, 0), A = Array(float, {N}, 1) }
local n = N()
Residuals { fit = X(n) - A(n) }
)";

class BadPrograms : public testing::Test {
 protected:
  void SetUp() override { setenv("THALLO_COMPAT_BACKEND", "interpreter", 1); }
  void TearDown() override { unsetenv("THALLO_COMPAT_BACKEND"); }

  // What is said where no plan is made of a text.
  std::string refusal(const std::string& text, std::vector<unsigned> dimensions = {3},
                      const char* kind = "gauss_newton") {
    const std::string file = folder_.write("energy.lua", text).string();
    testing::internal::CaptureStderr();
    Thallo_Problem* problem = Thallo_ProblemDefine(state_, file.c_str(), kind);
    EXPECT_EQ(Thallo_ProblemPlan(state_, problem, dimensions.empty() ? nullptr : dimensions.data()),
              nullptr);
    Thallo_ProblemDelete(state_, problem);
    return testing::internal::GetCapturedStderr();
  }
  Thallo_Plan* plan() {
    const std::string file = folder_.write("near.lua", Near).string();
    unsigned dimensions[] = {3};
    problem_ = Thallo_ProblemDefine(state_, file.c_str(), "gauss_newton");
    return Thallo_ProblemPlan(state_, problem_, dimensions);
  }

  Thallo_State* state_ = [] {
    Thallo_InitializationParameters init = {};
    init.cpuOnly = 1;
    return Thallo_NewState(init);
  }();
  Thallo_Problem* problem_ = nullptr;
  TempDir folder_;
};

TEST_F(BadPrograms, HaveNoPlanAndASentence) {
  EXPECT_THAT(refusal("Residuals { fit = X(0) }"),
              testing::AllOf(HasSubstr("Thallo_ProblemPlan: "), HasSubstr("energy.lua:1")));
  EXPECT_THAT(refusal(Near, {0}), HasSubstr("dimensions[0], the extent of 'N', is 0"));
  EXPECT_THAT(refusal(Near, {}), HasSubstr("dimensions is NULL, and dim 'N' needs it"));
  EXPECT_THAT(refusal(Near, {3}, "newton"),
              testing::AllOf(HasSubstr("Thallo_ProblemDefine: there is no solver kind 'newton' "
                                       "(legal: gauss_newton, levenberg_marquardt)"),
                             HasSubstr("Thallo_ProblemPlan: the problem is NULL")));
  EXPECT_THAT(refusal(Near, {3}, nullptr), HasSubstr("there is no solver kind 'NULL'"));
  std::string unplaced = Near;
  unplaced.replace(unplaced.find("{N}, 1"), 6, "{N}");
  EXPECT_THAT(refusal(unplaced), HasSubstr("gives no position in problemparams to array 'A'"));
  std::string twice = Near;
  twice.replace(twice.find("Array(float, {N}, 1"), 19, "Array(float2, {N}, 0");
  EXPECT_THAT(refusal(twice), HasSubstr("slot 0"));
}

TEST_F(BadPrograms, SayWhichParameterIsNone) {
  Thallo_Plan* made = plan();
  ASSERT_NE(made, nullptr);
  int value = -5;
  testing::internal::CaptureStderr();
  Thallo_SetSolverParameter(state_, made, "nIteration", &value);
  Thallo_SetSolverParameter(state_, made, "nIterations", &value);
  Thallo_SetSolverParameter(state_, made, "nIterations", nullptr);
  Thallo_GetSolverParameter(state_, made, "radius", &value);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("no solver parameter 'nIteration'; did you mean 'nIterations'?"));
  EXPECT_THAT(said, HasSubstr("-5"));
  EXPECT_THAT(said, HasSubstr("or its value is NULL"));
  EXPECT_THAT(said, HasSubstr("no solver parameter 'radius'"));
  EXPECT_EQ(value, -5);
  Thallo_PlanFree(state_, made);
  Thallo_ProblemDelete(state_, problem_);
}

TEST_F(BadPrograms, EndWhereTheyHaveNoPlanOrNoData) {
  std::vector<float> x(3), a(3);
  void* params[] = {x.data(), nullptr};
  EXPECT_EXIT(Thallo_ProblemSolve(state_, nullptr, params), testing::ExitedWithCode(1),
              "Thallo_ProblemSolve: the plan is NULL");
  EXPECT_EXIT(Thallo_ProblemCurrentCost(state_, nullptr), testing::ExitedWithCode(1),
              "the plan is NULL");
  Thallo_Plan* made = plan();
  ASSERT_NE(made, nullptr);
  EXPECT_EXIT(Thallo_ProblemSolve(state_, made, params), testing::ExitedWithCode(1),
              "problemparams.1., the array 'A', is NULL");
  EXPECT_EXIT(Thallo_ProblemInit(state_, made, nullptr), testing::ExitedWithCode(1),
              "problemparams is NULL");
  params[1] = a.data();
  EXPECT_EXIT(Thallo_ProblemStep(state_, made, params), testing::ExitedWithCode(1),
              "call ProblemInit first");
  EXPECT_EXIT(Thallo_ProblemCurrentCost(state_, made), testing::ExitedWithCode(1),
              "nothing was solved yet");
  EXPECT_EXIT(Thallo_ProblemPlan(nullptr, problem_, nullptr), testing::ExitedWithCode(1),
              "the state is NULL");
  Thallo_PlanFree(state_, made);
  Thallo_ProblemDelete(state_, problem_);
}

TEST_F(BadPrograms, EndWhereTheyUseAPlanThatWasFreed) {
  std::vector<float> x(3), a(3);
  void* params[] = {x.data(), a.data()};
  int value = 1;
  Thallo_Plan* made = plan();
  ASSERT_NE(made, nullptr);
  Thallo_PlanFree(state_, made);
  EXPECT_EXIT(Thallo_ProblemSolve(state_, made, params), testing::ExitedWithCode(1),
              "Thallo_ProblemSolve: the plan was freed");
  EXPECT_EXIT(Thallo_ProblemStep(state_, made, params), testing::ExitedWithCode(1), "was freed");
  EXPECT_EXIT(Thallo_SetSolverParameter(state_, made, "nIterations", &value),
              testing::ExitedWithCode(1), "Thallo_SetSolverParameter: the plan was freed");
  EXPECT_EXIT(Thallo_PlanFree(state_, made), testing::ExitedWithCode(1),
              "Thallo_PlanFree: the plan was freed");
  Thallo_ProblemDelete(state_, problem_);
  unsigned dimensions[] = {3};
  testing::internal::CaptureStderr();
  EXPECT_EQ(Thallo_ProblemPlan(state_, problem_, dimensions), nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the problem was deleted"));
  Thallo_PlanFree(state_, nullptr);
}

TEST(Devices, EndProgramsThatGiveArraysOfAGpuWhereThereIsNone) {
  if (make_cuda_backend()) GTEST_SKIP() << "there is a device";
  EXPECT_EXIT(Opt_NewState({}), testing::ExitedWithCode(1),
              "Opt_NewState: arrays are in the memory of a GPU, and there is none: ");
  EXPECT_EXIT(Thallo_NewState({}), testing::ExitedWithCode(1), "set cpuOnly");
}

TEST(Devices, AreNamedByABackend) {
  setenv("THALLO_COMPAT_BACKEND", "gpu", 1);
  EXPECT_EXIT(Opt_NewState({}), testing::ExitedWithCode(1),
              "THALLO_COMPAT_BACKEND=gpu names no backend .legal: cuda, cpu, interpreter.");
  unsetenv("THALLO_COMPAT_BACKEND");
}

}  // namespace
}  // namespace thallo::test
