// How many blocks a kernel is launched with on CUDA.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/kernel/emit.h"

namespace thallo {
namespace {

std::int64_t blocks_of(std::int64_t points, bool has_reductions, bool has_epilogue) {
  return launch_blocks({.num_points = points,
                        .block_size = 256,
                        .has_reductions = has_reductions,
                        .has_epilogue = has_epilogue,
                        .resident_blocks = 100,
                        .num_multiprocessors = 20});
}

TEST(LaunchBlocks, CoverThePointsAndAreFewForReductions) {
  EXPECT_EQ(blocks_of(0, false, false), 0);
  EXPECT_EQ(blocks_of(1, false, false), 1);
  EXPECT_EQ(blocks_of(256, false, false), 1);
  EXPECT_EQ(blocks_of(257, false, true), 2);
  EXPECT_EQ(blocks_of(1'000'000, false, false), 3907);
  EXPECT_EQ(blocks_of(1'000'000, true, true), 80);  // 1024 threads a multiprocessor
  // A lone block hands its sums to the epilogue in registers.
  EXPECT_EQ(blocks_of(1000, true, true), 1);
  EXPECT_EQ(blocks_of(1000, true, false), 4);
  EXPECT_EQ(blocks_of(0, true, true), 0);
}

TEST(LaunchBlocks, AreFewerWhereAThreadComputesSeveralPoints) {
  LaunchSize size{.num_points = 1025,
                  .lanes = 4,
                  .block_size = 256,
                  .resident_blocks = 100,
                  .num_multiprocessors = 20};
  EXPECT_EQ(launch_blocks(size), 2);
  size.num_points = 1'000'000;
  EXPECT_EQ(launch_blocks(size), 977);
  size.has_reductions = true;
  EXPECT_EQ(launch_blocks(size), 100);  // all that are resident
  size.has_epilogue = true;
  EXPECT_EQ(launch_blocks(size), 80);  // which waits for fewer
  size.resident_blocks = 30;
  EXPECT_EQ(launch_blocks(size), 30);
}

TEST(LaunchBlocks, AreAsManyAsTheRowsOfAThreadLeaveWithRoomForTeams) {
  LaunchSize size{.num_points = 1025,
                  .block_size = 256,
                  .rows_per_thread = 4,
                  .resident_blocks = 100,
                  .num_multiprocessors = 20};
  EXPECT_EQ(launch_blocks(size), 2);
  size.has_reductions = size.has_epilogue = true;
  EXPECT_EQ(launch_blocks(size), 2);
  size.rows_per_thread = 1;
  EXPECT_EQ(launch_blocks(size), 5);
  size.num_points = 1'000'000;
  EXPECT_EQ(launch_blocks(size), 3907);  // more than are resident
  size = LaunchSize{.num_points = 1000, .team = 8, .block_size = 256, .num_multiprocessors = 20};
  EXPECT_EQ(launch_blocks(size), 32);
  size.team = size.block_size;
  EXPECT_EQ(launch_blocks(size), 1000);
}

}  // namespace
}  // namespace thallo
