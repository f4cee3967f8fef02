#include "core/backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace thallo {
namespace {

TEST(ThreadPool, RunsEveryPartOnceAfterTheOther) {
  for (int threads = 1; threads <= 4; ++threads) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int parts = 0; parts <= 9; ++parts) {
      std::vector<int> runs(static_cast<std::size_t>(parts), 0);
      pool.run(parts, [&](int part) { ++runs[static_cast<std::size_t>(part)]; });
      EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(parts), 1))
          << threads << " threads";
    }
  }
  // What one run wrote, the caller and the next run see.
  ThreadPool pool(3);
  std::vector<long> sums(5, 0);
  for (int run = 1; run <= 2000; ++run) {
    pool.run(5, [&](int part) { sums[static_cast<std::size_t>(part)] += run; });
    ASSERT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 5L * run * (run + 1) / 2);
  }
}

TEST(ThreadPool, EndsWhileItsThreadsStillWakeUp) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    std::atomic<int> count = 0;
    pool.run(2, [&](int) { ++count; });
    EXPECT_EQ(count, 2);
  }
}

}  // namespace
}  // namespace thallo
