// The CUDA backend, on one of the devices that CUDA_VISIBLE_DEVICES leaves. make_cuda_backend()
// makes the device's context, so that this time (about 0.2 s) does not count as compiling.

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/backend/backend.h"
#include "core/backend/cuda/array_kernels.h"
#include "core/backend/cuda/calibrate.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/executable.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/device_arrays.h"
#include "core/backend/with_type.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace cuda {
namespace {

// DeviceArrays (core/backend/device_arrays.h) of a CUDA device.
class CudaDeviceArrays final : public DeviceArrays {
 public:
  explicit CudaDeviceArrays(std::shared_ptr<const Device> device) : device_(std::move(device)) {}

  Expected<void> check(const DeviceArray& array) const override;
  Expected<std::vector<DeviceArrayFacts>> inspect(
      std::span<const DeviceArrayQuery> queries) override;
  Expected<HostArray> download(const DeviceArray& array) override;
  std::int64_t bytes_moved() const override { return bytes_moved_; }

 private:
  Expected<void> make_ready();

  std::shared_ptr<const Device> device_;
  std::unique_ptr<const ArrayKernels> kernels_;  // null until they are needed
  std::unique_ptr<Stream> stream_;
  DeviceBuffer facts_;
  std::int64_t bytes_moved_ = 0;
};

constexpr std::size_t FactsBytes = 2 * sizeof(std::uint64_t);

template <class T>
constexpr bool IsHostType = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                            std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint8_t>;

Expected<void> CudaDeviceArrays::make_ready() {
  device_->make_current();
  if (stream_ == nullptr) stream_ = std::make_unique<Stream>();
  if (kernels_ != nullptr) return {};
  THALLO_TRY(kernels_, ArrayKernels::load(*device_));
  return {};
}

Expected<void> CudaDeviceArrays::check(const DeviceArray& array) const {
  device_->make_current();
  return check_array(*device_, array);
}

Expected<std::vector<DeviceArrayFacts>> CudaDeviceArrays::inspect(
    std::span<const DeviceArrayQuery> queries) {
  if (auto ready = make_ready(); !ready) return fail(ready.error());
  const std::size_t bytes = queries.size() * FactsBytes;
  if (facts_.bytes() < bytes) {
    THALLO_TRY(facts_, DeviceBuffer::allocate(bytes, "facts of arrays"));
  }
  clear(stream_->get(), facts_.pointer(), bytes);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    wait_for(stream_->get(), queries[i].array);
    kernels_->inspect(stream_->get(), queries[i], facts_.pointer() + i * FactsBytes);
  }
  std::vector<std::array<std::uint64_t, 2>> found(queries.size());
  if (bytes > 0) {
    THALLO_CUDA(cuMemcpyDtoHAsync_v2(found.data(), facts_.pointer(), bytes, stream_->get()));
  }
  stream_->synchronize();
  std::vector<DeviceArrayFacts> facts;
  for (const auto& [fingerprint, num_unusable] : found)
    facts.push_back({fingerprint, num_unusable == 0});
  return facts;
}

Expected<HostArray> CudaDeviceArrays::download(const DeviceArray& array) {
  if (auto ready = make_ready(); !ready) return fail(ready.error());
  const auto count = static_cast<std::size_t>(array.num_values());
  const std::size_t bytes = count * size_of(array.type);
  wait_for(stream_->get(), array);
  DeviceArray dense = array;
  DeviceBuffer copy;
  if (!array.is_dense()) {
    THALLO_TRY(auto memory, DeviceBuffer::allocate(bytes, "a copy of an array"));
    copy = std::move(memory);
    dense = DeviceArray::dense(copy.pointer(), array.type, array.extents);
    kernels_->copy(stream_->get(), array, dense);
  }
  bytes_moved_ += static_cast<std::int64_t>(bytes);
  return with_type(array.type, [&]<class T>(T) -> Expected<HostArray> {
    if constexpr (IsHostType<T>) {
      HostArray values = std::vector<T>(count);
      cuda::download(stream_->get(), dense.address, array.type, values);
      return values;
    }
    return fail("values of this type are not taken");
  });
}

}  // namespace
}  // namespace cuda

namespace {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(std::shared_ptr<const cuda::Device> device)
      : device_(std::move(device)), arrays_(device_) {}
  std::string_view name() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() const override { return cuda::list_devices(); }
  DeviceInfo device() const override { return device_->info(); }
  std::string signature() const override {
    return fmt::format("{}, {}", device_->identity(), cuda::nvrtc_version());
  }
  std::string compiler() const override {
    return fmt::format("{} at {}", cuda::nvrtc_version(), cuda::nvrtc_file().string());
  }
  DeviceArrays* device_arrays() override { return &arrays_; }
  Expected<DeviceSpec> calibrate() override { return cuda::calibrate(*device_, signature()); }
  Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                const CompileOptions& options) override {
    return cuda::CudaExecutable::compile(device_, std::move(program), options);
  }

 private:
  std::shared_ptr<const cuda::Device> device_;
  cuda::CudaDeviceArrays arrays_;
};

}  // namespace

Expected<std::unique_ptr<Backend>> make_cuda_backend(int ordinal) {
  if (const auto library = cuda::find_driver(); !library) return fail(library.error());
  if (const auto library = cuda::find_nvrtc(); !library) return fail(library.error());
  THALLO_TRY(auto device, cuda::Device::open(ordinal));
  return std::make_unique<CudaBackend>(std::move(device));
}

}  // namespace thallo
