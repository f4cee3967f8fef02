#include "core/base/log.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace thallo {
namespace {

TEST(Log, FormatsRecordsWithTheirLoggerAndLevel) {
  const LogCapture capture;
  logger("test_log").warn("found {}, wanted {}", 1, "two");
  ASSERT_EQ(capture.records().size(), 1u);
  EXPECT_EQ(capture.records()[0].logger, "test_log");
  EXPECT_EQ(capture.records()[0].level, LogLevel::Warn);
  EXPECT_EQ(capture.records()[0].text, "found 1, wanted two");
}

TEST(Log, WritesOnlyWhatItsLevelAdmits) {
  const LogCapture capture;
  logger("test_quiet").set_level(LogLevel::Error);
  logger("test_quiet").warn("no");
  logger("test_quiet").error("yes");
  ASSERT_EQ(capture.records().size(), 1u);
  EXPECT_EQ(capture.records()[0].text, "yes");
}

TEST(Log, LevelsAreSetForEachSubsystem) {
  logger("test_a");
  set_log_levels("error,test_b=debug");
  logger("test_b");  // made after its level was named
  EXPECT_FALSE(logger("test_a").enabled(LogLevel::Warn));
  EXPECT_TRUE(logger("test_b").enabled(LogLevel::Debug));
  EXPECT_FALSE(logger("test_b").enabled(LogLevel::Trace));
  set_log_levels("warn");
  EXPECT_TRUE(logger("test_a").enabled(LogLevel::Warn));
}

TEST(Log, TheInnermostListenerTakes) {
  int outer = 0;
  const LogListener watching(LogListener::Mode::Watches, [&](const LogRecord&) { ++outer; });
  {
    const LogCapture inner;
    logger("test_log").error("taken");
    EXPECT_EQ(inner.records().size(), 1u);
  }
  EXPECT_EQ(outer, 0);
}

TEST(Log, LoggersAreSharedByThreads) {
  const LogCapture capture;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 25; ++i) logger("test_threads").warn("{}", i);
      });
    }
  }
  EXPECT_EQ(capture.records().size(), 100u);
}

TEST(LogLevels, FaultsNameWhatIsLegal) {
  for (const char* right : {"", "info", "warn,cuda=debug", "cuda=off,solve=trace"})
    EXPECT_EQ(find_log_level_fault(right), std::nullopt) << right;
  EXPECT_EQ(
      find_log_level_fault("warn,cuda=debgu"),
      "no level 'debgu'; did you mean 'debug'? (levels: trace, debug, info, warn, error, off)");
  EXPECT_EQ(find_log_level_fault("=info"), "'=info' names no subsystem; write e.g. cuda=debug");
}

}  // namespace
}  // namespace thallo
