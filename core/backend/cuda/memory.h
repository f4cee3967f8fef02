#pragma once

// Device memory, and copies that convert between the types of the user's host arrays and those of
// the device (a field's own type, or the working type of the solve). Conversion happens on the
// host, once per bind.

#include <cuda.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"

namespace thallo::cuda {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  // Fails if the device is out of memory; the message contains `what`, its bytes and the free
  // bytes. Zero bytes give a null pointer.
  static Expected<DeviceBuffer> allocate(std::size_t bytes, std::string_view what);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  CUdeviceptr pointer() const { return pointer_; }
  std::size_t bytes() const { return bytes_; }

 private:
  CUdeviceptr pointer_ = 0;
  std::size_t bytes_ = 0;
};

// Page-locked host memory: the device copies into it directly, without the driver's staging buffer.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// Enqueue uploads and clears on the stream; the host data may be changed on return. `type` is a
// memory type (core/kernel/memory_type.h), never Working.
void upload(CUstream stream, CUdeviceptr target, ScalarType type, const HostArray& values);
void upload(CUstream stream, CUdeviceptr target, ScalarType type, std::span<const double> values);
void upload_bytes(CUstream stream, CUdeviceptr target, std::span<const std::byte> bytes);
void clear(CUstream stream, CUdeviceptr target, std::size_t bytes);

// Waits for the stream; the data are complete on return.
std::vector<double> download(CUstream stream, CUdeviceptr source, ScalarType type,
                             std::size_t count);
void download(CUstream stream, CUdeviceptr source, ScalarType type, HostArray& into);

}  // namespace thallo::cuda
