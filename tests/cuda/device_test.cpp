// What a device says of itself, and what it is measured to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/backend/cuda/calibrate.h"
#include "tests/cuda/support.h"

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

TEST(CudaDevice, CalibrationGivesPlausibleRates) {
  THALLO_REQUIRE_CUDA(cuda);
  if (cuda.devices()[0].num_units < 16) GTEST_SKIP() << "this device would take too long";
  const auto measurements = cuda::calibrate();
  ASSERT_TRUE(measurements.has_value()) << measurements.error().message();
  std::map<std::string, double> best;
  for (const cuda::Measurement& m : *measurements) {
    EXPECT_GT(m.value, 0) << m.name << " (" << m.note << ")";
    best[m.name] = std::max(best[m.name], m.value);
    RecordProperty(m.name + " " + m.note, std::to_string(m.value) + " " + m.unit);
  }
  EXPECT_LT(best.at("copy"), 20'000);
  EXPECT_LT(best.at("launch"), 100);
  EXPECT_GE(best.at("launch and wait"), best.at("launch"));
  EXPECT_GE(best.at("float"), best.at("double"));
}

}  // namespace
}  // namespace thallo
