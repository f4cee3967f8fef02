#include "gui/jobs/job_runner.h"

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using gui::JobRunner;

TEST(JobRunner, DeliversWhatTheWorkReturnsOnItsOwnThread) {
  JobRunner runner(1);
  std::optional<int> result;
  std::thread::id at_work, at_delivery;
  runner.start(
      "square",
      [&](const std::stop_token&) -> Expected<int> {
        at_work = std::this_thread::get_id();
        return 49;
      },
      [&](Expected<int> value) {
        at_delivery = std::this_thread::get_id();
        result = *value;
      });
  EXPECT_TRUE(runner.isBusy("square"));
  ASSERT_TRUE(wait_until([&] { return result.has_value(); }));
  EXPECT_EQ(*result, 49);
  EXPECT_NE(at_work, std::this_thread::get_id());
  EXPECT_EQ(at_delivery, std::this_thread::get_id());
  EXPECT_FALSE(runner.isBusy("square"));
}

TEST(JobRunner, DropsTheResultOfAJobThatANewerOneReplaces) {
  JobRunner runner(2);
  std::atomic<bool> has_begun = false, was_asked_to_stop = false;
  std::string delivered;
  runner.start(
      "name",
      [&](const std::stop_token& stop) -> Expected<std::string> {
        has_begun = true;
        while (!stop.stop_requested()) std::this_thread::yield();
        was_asked_to_stop = true;
        return std::string("old");
      },
      [&](Expected<std::string> name) { delivered += *name; });
  ASSERT_TRUE(wait_until([&] { return has_begun.load(); }));
  runner.start(
      "name", [](const std::stop_token&) -> Expected<std::string> { return std::string("new"); },
      [&](Expected<std::string> name) { delivered += *name; });
  ASSERT_TRUE(wait_until([&] { return was_asked_to_stop && !runner.isBusy("name"); }));
  wait_until([] { return false; }, std::chrono::milliseconds(50));
  EXPECT_EQ(delivered, "new");
}

TEST(JobRunner, DropsTheResultOfAJobThatIsCancelled) {
  JobRunner runner(1);
  bool is_delivered = false;
  runner.start(
      "count", [](const std::stop_token&) -> Expected<int> { return 1; },
      [&](const Expected<int>&) { is_delivered = true; });
  runner.cancel("count");
  EXPECT_FALSE(runner.isBusy("count"));
  wait_until([] { return false; }, std::chrono::milliseconds(50));
  EXPECT_FALSE(is_delivered);
}

TEST(JobRunner, TellsAnExceptionAsAFailure) {
  JobRunner runner(1);
  std::optional<Expected<int>> result;
  runner.start(
      "count",
      [](const std::stop_token&) -> Expected<int> { throw std::runtime_error("no such thing"); },
      [&](Expected<int> value) { result = std::move(value); });
  ASSERT_TRUE(wait_until([&] { return result.has_value(); }));
  ASSERT_FALSE(result->has_value());
  EXPECT_EQ(result->error().what, "no such thing");
}

}  // namespace
}  // namespace thallo::test
