#include "core/explore/measure/spilling.h"

#include <gtest/gtest.h>

#include "core/explore/worker/worker_kernels.h"

namespace thallo {
namespace {

KnownSchedule predicted(double seconds, std::vector<std::string> spilling = {}) {
  KnownSchedule known;
  known.candidate.predictions["analytic"] = {.nonlinear_seconds = seconds};
  known.prepared.steps = {{.key = "step"}};
  known.prepared.spilling = std::move(spilling);
  return known;
}

// Beside schedules that are predicted to take 2 and 3 seconds, and one that spills, too.
TEST(SpillingJudge, LeavesOutWhatIsPredictedToBeAboutAsFastAsOneThatSpillsNothing) {
  const std::map<std::string, KnownSchedule> compiled = {{"a", predicted(3)},
                                                         {"b", predicted(2)},
                                                         {"c", predicted(1, {"jtf [fit]"})},
                                                         {"d", KnownSchedule()}};
  const SpillingJudge judge(compiled, "analytic");
  EXPECT_EQ(judge.why_left_out(predicted(2.5, {"apply_jtjp [fit]", "jtf [fit]"})),
            "apply_jtjp [fit] spills registers, and a schedule whose kernels spill none is "
            "predicted to take 0.80 of its time");
  EXPECT_TRUE(judge.why_left_out(predicted(1.9, {"jtf [fit]"})));
  EXPECT_FALSE(judge.why_left_out(predicted(1.5, {"jtf [fit]"})));
  EXPECT_FALSE(SpillingJudge({}, "analytic").why_left_out(predicted(9, {"jtf [fit]"})));
}

TEST(SpillsRegisters, IfLocalMemoryIsUsedAndNoRegisterIsLeft) {
  EXPECT_TRUE(spills_registers({.registers = 255, .spill_bytes = 8}, 256));
  EXPECT_FALSE(spills_registers({.registers = 254, .spill_bytes = 40}, 256)) << "a call's stack";
  EXPECT_FALSE(spills_registers({.registers = 255}, 256));
  EXPECT_TRUE(spills_registers({.registers = 128, .spill_bytes = 8}, 512));
}

}  // namespace
}  // namespace thallo
