// What backends measure of their devices. Rates differ between machines and moments, so these tests
// ask for what must hold on all of them.
#include "core/backend/calibration.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/backend/backend.h"
#include "core/backend/host_machine.h"
#include "core/cost/device/spec_file.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::MatchesRegex;

TEST(Calibration, TimesOneCall) {
  int calls = 0;
  const double seconds = seconds_of([&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  EXPECT_GE(seconds, 2e-3);
  EXPECT_GE(calls, 3);
  double sum = 0;
  EXPECT_LT(seconds_of([&] { sum += 1; }), 1e-5);
  EXPECT_GT(sum, 1000);
}

TEST(Calibration, RoundsRatesAndCostsButNoSizes) {
  DeviceSpec spec;
  spec.memory = 123456789;
  spec.units = 132;
  spec.copy = 4.21837e12;
  spec.node = 8.5432e-7;
  spec.gather = RateCurve({{123456, 3.76549e12}});
  spec.atomic = RateCurve({{1, 5.6789e8}});
  const DeviceSpec rounded = as_measured(spec);
  EXPECT_EQ(rounded.memory, 123456789);
  EXPECT_EQ(rounded.units, 132);
  EXPECT_DOUBLE_EQ(rounded.copy, 4.218e12);
  EXPECT_DOUBLE_EQ(rounded.node, 8.543e-7);
  EXPECT_EQ(rounded.gather.points()[0].size, 123456);
  EXPECT_DOUBLE_EQ(rounded.gather.points()[0].rate, 3.765e12);
  EXPECT_DOUBLE_EQ(rounded.atomic.at(1), 5.679e8);
  EXPECT_EQ(rounded.library, 0);
  EXPECT_THAT(rounded.source, MatchesRegex("measured 20[0-9]+-[0-9]+-[0-9]+"));
}

class HostCalibration : public testing::TestWithParam<const char*> {
  test::ScopedEnv optimized_{"THALLO_CC_OPTIMIZATION", "3"};
};

TEST_P(HostCalibration, GivesEveryRate) {
  const auto backend = make_backend(GetParam());
  if (!backend) GTEST_SKIP() << backend.error().message();
  const auto spec = (*backend)->calibrate();
  ASSERT_TRUE(spec) << spec.error().message();
  // The reader refuses a rate that is missing, not positive or not finite.
  const test::TempDir folder;
  ASSERT_TRUE(write_device_spec(*spec, folder.path() / "spec.toml"));
  const auto read = read_device_spec(folder.path() / "spec.toml");
  ASSERT_TRUE(read) << read.error().message();

  EXPECT_EQ(spec->name, host_machine().processor);
  EXPECT_EQ(spec->backend, GetParam());
  EXPECT_EQ(spec->signature, (*backend)->signature());
  EXPECT_EQ(spec->units, (*backend)->device().num_units);
  EXPECT_GT(spec->library, 0);
  for (const auto& [size, rate] : spec->gather.points()) EXPECT_LT(rate, 1e14) << size;
  for (const double rate : {spec->copy, spec->read, spec->cached_copy, spec->private_add,
                            spec->float_flops, spec->double_flops})
    EXPECT_TRUE(1e5 < rate && rate < 1e14) << rate;
  for (const double cost : {spec->launch, spec->loop_turn, spec->clear, spec->library})
    EXPECT_TRUE(1e-10 < cost && cost < 1e-2) << cost;
  EXPECT_LT(spec->double_transcendentals, spec->double_flops);
  EXPECT_LT(spec->loop_turn, spec->launch) << "a look at the state against a kernel";
}

INSTANTIATE_TEST_SUITE_P(All, HostCalibration, testing::Values("interpreter", "cpu"));

// Other processes slow down one measurement more than another, so the best of several counts.
// Finds a calibration that mistakes its units; each backend is measured for a second.
TEST(HostCalibration, FindsTheCpuFasterThanTheInterpreter) {
  const test::ScopedEnv optimized("THALLO_CC_OPTIMIZATION", "3");
  const auto cpu = make_cpu_backend();
  if (!cpu) GTEST_SKIP() << cpu.error().message();
  const auto interpreter = make_interpreter_backend();
  struct Rates {
    double read = 0, double_flops = 0;
  };
  const auto best_rates = [](Backend& backend) {
    Rates best;
    for (int i = 0; i < 4; ++i) {
      const auto spec = backend.calibrate();
      EXPECT_TRUE(spec);
      if (!spec) break;
      best = {std::max(best.read, spec->read), std::max(best.double_flops, spec->double_flops)};
    }
    return best;
  };
  const Rates compiled = best_rates(**cpu), interpreted = best_rates(**interpreter);
  EXPECT_GT(compiled.read, 5 * interpreted.read);
  EXPECT_GT(compiled.double_flops, 20 * interpreted.double_flops);
}

TEST(Signature, TellsCompilersAndBackendsApart) {
  const auto cpu = make_cpu_backend();
  if (!cpu) GTEST_SKIP() << cpu.error().message();
  EXPECT_THAT((*cpu)->signature(), testing::HasSubstr(" threads, "));
  EXPECT_THAT((*cpu)->signature(), testing::StartsWith(host_machine().processor + ", "));
  EXPECT_EQ((*cpu)->signature().find('\n'), std::string::npos);
  const test::ScopedEnv optimized("THALLO_CC_OPTIMIZATION", "3");
  EXPECT_NE((*make_cpu_backend())->signature(), (*cpu)->signature()) << "less optimized";
  EXPECT_EQ((*make_interpreter_backend())->signature(), host_machine().processor);
}

}  // namespace
}  // namespace thallo
