// The layout of the linear loop's graph: whatever it is, resets must find their place.
#include "core/backend/cuda/loop_shape.h"

#include <gtest/gtest.h>

namespace thallo::cuda {
namespace {

constexpr int iteration_launches = 3;
constexpr int reset_launches = 3;

LoopShape shape(int max_iterations, int reset_period) {
  return choose_loop_shape({.max_iterations = max_iterations, .reset_period = reset_period},
                           iteration_launches, reset_launches);
}

TEST(LoopShape, EveryDueResetIsAtAPositionThatHoldsOne) {
  for (int max_iterations = 1; max_iterations <= 200; max_iterations += 7) {
    for (int period = 1; period <= 60; ++period) {
      const LoopShape s = shape(max_iterations, period);
      ASSERT_GE(s.unroll, 1);
      ASSERT_GT(s.reset_every, 0);
      ASSERT_EQ(s.unroll % s.reset_every, 0);
      for (int iteration = period; iteration <= max_iterations; iteration += period) {
        const int position = (iteration - 1) % s.unroll + 1;
        EXPECT_EQ(position % s.reset_every, 0)
            << "period " << period << ", unrolled " << s.unroll << ", iteration " << iteration;
      }
    }
  }
}

TEST(LoopShape, LongSolvesAreUnrolledWithinTheSolve) {
  for (const int max_iterations : {1, 2, 5, 10}) {
    EXPECT_LE(shape(max_iterations, 0).unroll, max_iterations);
  }
  EXPECT_EQ(shape(1000, 0).unroll, 10);
  EXPECT_EQ(shape(1000, 0).reset_every, 0);
  // Where an iteration is many launches, a pass takes little beside it, and what is launched after
  // the stop much.
  EXPECT_EQ(choose_loop_shape({.max_iterations = 1000, .reset_period = 0}, 20, 20).unroll, 5);
}

// A multiple of the period as unroll would hold more resets than are due, a body without a common
// factor one a position.
TEST(LoopShape, FollowsTheResetPeriod) {
  EXPECT_EQ(shape(1000, 10).unroll, 10);
  EXPECT_EQ(shape(1000, 10).reset_every, 10);
  EXPECT_EQ(shape(1000, 31).unroll, 31);
  EXPECT_EQ(shape(1000, 50).unroll, 10);
  EXPECT_EQ(shape(1000, 50).reset_every, 10);
  const LoopShape s = choose_loop_shape({.max_iterations = 100, .reset_period = 10}, 3, 0);
  EXPECT_EQ(s.reset_every, 0);
}

}  // namespace
}  // namespace thallo::cuda
