#include "core/base/parallel_for.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/stop_scope.h"

namespace thallo {
namespace {

using testing::Each, testing::ElementsAre;

TEST(ParallelFor, CallsOnceForEachIndexAlsoWithOneThread) {
  for (const std::size_t count : {0, 1, 2, 7, 1000}) {
    for (const int num_threads : {0, 1, 2, 5, 40}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, num_threads, [&](std::size_t i) { ++calls.at(i); });
      EXPECT_THAT(std::vector<int>(calls.begin(), calls.end()), Each(1))
          << count << " calls on " << num_threads << " threads";
    }
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(4, 1, [&](std::size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

// Each of the first calls waits until as many have begun as there are threads; the others leave a
// thread too many the time to take part.
TEST(ParallelFor, RunsOnAsManyThreadsAsAsked) {
  constexpr int NumThreads = 3;
  std::latch begun(NumThreads);
  std::mutex of_threads;
  std::set<std::thread::id> threads;
  std::atomic<bool> have_met = true;
  parallel_for(30, NumThreads, [&](std::size_t i) {
    {
      const std::scoped_lock lock(of_threads);
      threads.insert(std::this_thread::get_id());
    }
    if (i >= std::size_t{NumThreads}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      return;
    }
    begun.count_down();
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!begun.try_wait() && have_met) {
      if (std::chrono::steady_clock::now() > limit) have_met = false;
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(have_met) << "a call waited in vain for the others";
  EXPECT_EQ(threads.size(), std::size_t{NumThreads});
  EXPECT_TRUE(threads.contains(std::this_thread::get_id())) << "the caller works too";
}

TEST(ParallelFor, ThrowsWhatACallThrewAndBeginsNoOtherCall) {
  int num_calls = 0;
  const auto failing = [&](std::size_t i) {
    ++num_calls;
    if (i == 3) throw std::runtime_error("the fourth");
    if (i > 3) throw std::logic_error("a later one");
  };
  try {
    parallel_for(10, 1, failing);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the fourth");
  }
  EXPECT_EQ(num_calls, 4);
}

TEST(ParallelFor, WhatStopsTheCallerStopsAllThreads) {
  std::stop_source stop;
  stop.request_stop();
  const StopScope scope(stop.get_token());
  std::atomic<int> num_stopped = 0;
  parallel_for(20, 3, [&](std::size_t) {
    try {
      check_stop();
    } catch (const Stopped&) {
      ++num_stopped;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that all threads take part
  });
  EXPECT_EQ(num_stopped, 20);
}

// The other threads call on only until they see that one has thrown: 100,000 calls would take them
// a minute.
TEST(ParallelFor, StopsAllThreadsWhereOneThrows) {
  constexpr std::size_t Count = 100'000;
  std::atomic<std::size_t> num_calls = 0;
  const auto failing = [&](std::size_t i) {
    ++num_calls;
    if (i == 5) throw std::runtime_error("the sixth");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_THROW(parallel_for(Count, 2, failing), std::runtime_error);
  EXPECT_LT(num_calls, Count);
}

}  // namespace
}  // namespace thallo
