#pragma once

// DeviceArrays (core/backend/device_arrays.h) of a CUDA device.

#include <memory>

#include "core/backend/cuda/array_kernels.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/device_arrays.h"

namespace thallo::cuda {

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

}  // namespace thallo::cuda
