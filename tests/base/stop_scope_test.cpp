#include "core/base/stop_scope.h"

#include <gtest/gtest.h>

#include <stop_token>
#include <thread>

namespace thallo {
namespace {

TEST(StopScope, StopsUntilTheEndOfAScopeOrOneAround) {
  EXPECT_NO_THROW(check_stop());
  std::stop_source stop;
  {
    const StopScope scope(stop.get_token());
    EXPECT_NO_THROW(check_stop());
    stop.request_stop();
    EXPECT_THROW(check_stop(), Stopped);
  }
  EXPECT_NO_THROW(check_stop());
  std::stop_source outer;
  std::stop_source inner;
  const StopScope around(outer.get_token());
  {
    const StopScope scope(inner.get_token());
    outer.request_stop();
    EXPECT_THROW(check_stop(), Stopped);
  }
  EXPECT_THROW(check_stop(), Stopped);
}

TEST(StopScope, ADeadlineStopsOnceItIsOver) {
  const auto now = StopScope::Clock::now();
  {
    const StopScope far(std::stop_token(), now + std::chrono::hours(1));
    EXPECT_NO_THROW(check_stop());
    const StopScope over(std::stop_token(), now - std::chrono::seconds(1));
    EXPECT_THROW(check_stop(), Stopped);
    const StopScope within{std::stop_token()};
    EXPECT_THROW(check_stop(), Stopped);
  }
  EXPECT_NO_THROW(check_stop());
}

TEST(StopScope, IsOfItsThreadUntilAnotherTakesItOver) {
  std::stop_source stop;
  stop.request_stop();
  const StopScope scope(stop.get_token());
  std::thread([] { EXPECT_NO_THROW(check_stop()); }).join();
  EXPECT_THROW(check_stop(), Stopped);
  std::thread([of_other = StopScope::innermost()] {
    {
      const StopScope taken(of_other);
      EXPECT_THROW(check_stop(), Stopped);
    }
    EXPECT_NO_THROW(check_stop());
  }).join();
}

TEST(StepLimit, EndsWhatTakesMoreSteps) {
  const StepLimit outer(5);
  {
    const StepLimit limit(2);
    check_stop();
    EXPECT_NO_THROW(check_stop());
    EXPECT_THROW(check_stop(), OutOfSteps);
    EXPECT_EQ(limit.steps(), 3);
  }
  EXPECT_NO_THROW(check_stop());
  EXPECT_EQ(outer.steps(), 1);
}

}  // namespace
}  // namespace thallo
