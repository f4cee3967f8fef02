#include "core/explore/measure/objective.h"

#include <gmock/gmock.h>

#include <limits>
#include <vector>

namespace thallo {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();

// Costs 100, 10.05, 10.009 after 0, 1 and 3 seconds.
const ScheduleResult Solve = {.nonlinear_seconds = 2, .trace = {{0, 100}, {1, 10.05}, {3, 10.009}}};

TEST(Objective, IsReadAsItIsWrittenAndTheTimeUntilACostNearTheLowest) {
  for (const Objective objective :
       {Objective::NonlinearIteration, Objective::WithinPercent, Objective::WithinTenthPercent}) {
    EXPECT_EQ(parse_as(to_string(objective), Objective()).value(), objective);
  }
  EXPECT_EQ(parse_as("2%", Objective()).error().message(),
            "there is no objective '2%' (legal: nonlinear, 1%, 0.1%)");
  EXPECT_EQ(lowest_cost(Solve.trace), 10.009);
  EXPECT_EQ(lowest_cost(std::vector<CostPoint>()), Never);
  EXPECT_EQ(seconds_of(Solve, Objective::NonlinearIteration, 10), 2);
  EXPECT_EQ(seconds_of(Solve, Objective::WithinPercent, 10), 1);
  EXPECT_EQ(seconds_of(Solve, Objective::WithinTenthPercent, 10), 3);
  EXPECT_EQ(seconds_of(Solve, Objective::WithinTenthPercent, 9.99), Never);
}

}  // namespace
}  // namespace thallo
