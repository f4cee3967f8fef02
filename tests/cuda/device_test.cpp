// What a device says of itself, and what it is measured to do.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cost/device/spec_file.h"
#include "tests/cuda/support.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

TEST(CudaDevice, IsDescribed) {
  THALLO_REQUIRE_CUDA(cuda);
  EXPECT_EQ(cuda.name(), "cuda");
  const std::vector<DeviceInfo> devices = cuda.devices();
  ASSERT_FALSE(devices.empty());
  for (const DeviceInfo& device : devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_TRUE(device.architecture.starts_with("sm_")) << device.architecture;
    EXPECT_GT(device.memory_bytes, std::int64_t{1} << 28);
    EXPECT_GT(device.num_units, 0);
  }
}

TEST(CudaDevice, IsAbsentForAReason) {
  const auto backend = make_cuda_backend();
  if (backend) GTEST_SKIP() << "there is a device";
  EXPECT_TRUE(backend.error().what.starts_with("no CUDA ") ||
              backend.error().what.starts_with("CUDA driver too old: "))
      << backend.error().what;
  EXPECT_EQ(backend.error().what.find('\n'), std::string::npos);
}

TEST(CudaDevice, CalibrationGivesPlausibleRates) {
  THALLO_REQUIRE_CUDA(cuda);
  if (cuda.devices()[0].num_units < 16) GTEST_SKIP() << "this device would take too long";
  const auto spec = cuda.calibrate();
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  // The reader refuses a rate that is missing, not positive or not finite.
  const test::TempDir folder;
  ASSERT_TRUE(write_device_spec(*spec, folder.path() / "spec.toml"));
  const auto read = read_device_spec(folder.path() / "spec.toml");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_LT(spec->copy, 20e12);
  EXPECT_GT(spec->cached_copy, spec->copy);
  EXPECT_GE(spec->gather.points().front().rate, spec->gather.points().back().rate);
  EXPECT_GT(spec->private_add, spec->atomic.at(1));
  EXPECT_GE(spec->float_flops, spec->double_flops);
  EXPECT_GT(spec->float_flops, spec->float_transcendentals);
  EXPECT_LT(spec->launch, 100e-6);
  EXPECT_LE(spec->programmatic_node, 1.1 * spec->node);
  EXPECT_LE(spec->node, spec->launch);
  EXPECT_LT(spec->loop_turn, 100e-6);
  EXPECT_GT(spec->library, 0) << "cuSPARSE is there where the tests of libraries run";
}

TEST(CudaDevice, HasASignatureOfItsKind) {
  THALLO_REQUIRE_CUDA(cuda);
  EXPECT_TRUE(cuda.signature().starts_with(cuda.device().name + ", driver ")) << cuda.signature();
  EXPECT_NE(cuda.signature().find(", nvrtc "), std::string::npos) << cuda.signature();
}

TEST(CudaDevice, IsChosenByItsOrdinal) {
  THALLO_REQUIRE_CUDA(cuda);
  const int count = static_cast<int>(cuda.devices().size());
  const auto last = make_cuda_backend(count - 1);
  ASSERT_TRUE(last.has_value()) << last.error().message();
  EXPECT_EQ((*last)->device().name, cuda.devices().back().name);
  const auto beyond = make_cuda_backend(count);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_TRUE(beyond.error().what.starts_with("cuda has no device ")) << beyond.error().what;
  EXPECT_EQ(beyond.error().alternatives.size(), static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace thallo
