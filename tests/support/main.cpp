// main() of every test executable. A test that makes Thallo log an error, and does not take the
// record with a LogCapture, fails: the library should be free of errors. The schedule `auto` is
// chosen by shipped device specs, equal on every machine, unless THALLO_DEVICE_SPEC names others.
// Kernels of the cpu backend are compiled without optimization, which most tests would not make up
// for, unless THALLO_CC_OPTIMIZATION asks for it; the slow tests compile as users do.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/base/log.h"
#include "tests/support/data.h"

namespace thallo::test {
namespace {

class FatalLog : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override { errors_.clear(); }
  void OnTestEnd(const testing::TestInfo&) override {
    for (const LogRecord& record : errors_) {
      ADD_FAILURE() << "unexpected error logged by '" << record.logger << "': " << record.text;
    }
  }

 private:
  std::vector<LogRecord> errors_;
  LogListener listener_{LogListener::Mode::Watches, [this](const LogRecord& record) {
                          if (record.level == LogLevel::Error) errors_.push_back(record);
                        }};
};

}  // namespace
}  // namespace thallo::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  thallo::test::find_data_folder();
  setenv("THALLO_DEVICE_SPEC", "cpu,interpreter,h200", 0);
  const std::string_view program = argv[0];
  const bool is_slow = program.substr(program.rfind('/') + 1).starts_with("slow_");
  if (!is_slow) setenv("THALLO_CC_OPTIMIZATION", "0", 0);
  // Owned by GoogleTest.
  testing::UnitTest::GetInstance()->listeners().Append(new thallo::test::FatalLog);
  return RUN_ALL_TESTS();
}
