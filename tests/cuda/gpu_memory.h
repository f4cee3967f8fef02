// Memory and streams of the first GPU, as programs that embed Thallo have them. The driver is
// opened at run time, so that the tests build and skip without it.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace thallo::test {

// What the driver calls CUdeviceptr and CUstream.
using GpuAddress = unsigned long long;  // NOLINT: as the driver declares it
using GpuStreamHandle = struct CUstream_st*;

class GpuDriver {
 public:
  // Null without a driver or a device.
  static const GpuDriver* find() {
    static const GpuDriver driver;
    return driver.context_ != nullptr ? &driver : nullptr;
  }

  GpuAddress allocate(std::size_t bytes) const {
    GpuAddress address = 0;
    call("cuMemAlloc_v2", &address, bytes);
    return address;
  }
  void free(GpuAddress address) const { call("cuMemFree_v2", address); }
  void copy_to(GpuAddress to, const void* from, std::size_t bytes) const {
    call("cuMemcpyHtoD_v2", to, from, bytes);
  }
  void copy_from(void* to, GpuAddress from, std::size_t bytes) const {
    call("cuMemcpyDtoH_v2", to, from, bytes);
  }
  // Enqueue a copy on the device, and setting bytes there.
  void copy(GpuAddress to, GpuAddress from, std::size_t bytes, GpuStreamHandle stream) const {
    call("cuMemcpyDtoDAsync_v2", to, from, bytes, stream);
  }
  void fill(GpuAddress to, unsigned char value, std::size_t bytes, GpuStreamHandle stream) const {
    call("cuMemsetD8Async", to, value, bytes, stream);
  }
  GpuStreamHandle make_stream() const {
    constexpr unsigned int NonBlocking = 1;
    GpuStreamHandle stream = nullptr;
    call("cuStreamCreate", &stream, NonBlocking);
    return stream;
  }
  void destroy(GpuStreamHandle stream) const { call("cuStreamDestroy_v2", stream); }
  std::size_t free_bytes() const {
    std::size_t free = 0, total = 0;
    call("cuMemGetInfo_v2", &free, &total);
    return free;
  }

 private:
  using Context = struct CUctx_st*;

  GpuDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr || result_of("cuInit", 0U) != 0) return;
    if (result_of("cuDevicePrimaryCtxRetain", &context_, 0) != 0) context_ = nullptr;
  }
  // The types of the arguments are those of the function's parameters.
  template <class... Arguments>
  int result_of(const char* name, Arguments... arguments) const {
    return reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name))(arguments...);
  }
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    result_of("cuCtxSetCurrent", context_);  // of any thread
    if (const int code = result_of(name, arguments...); code != 0)
      throw std::runtime_error(std::string(name) + ": " + std::to_string(code));
  }

  void* library_;
  Context context_ = nullptr;
};

inline const GpuDriver& gpu() { return *GpuDriver::find(); }

#define THALLO_REQUIRE_GPU() \
  if (::thallo::test::GpuDriver::find() == nullptr) GTEST_SKIP() << "no CUDA driver or device"

// Values in the memory of the GPU.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& values)
      : count_(values.size()), address_(gpu().allocate(count_ * sizeof(T) + Slack)) {
    set(values);
  }
  ~OnGpu() { gpu().free(address_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  GpuAddress address() const { return address_; }
  void* pointer() const { return reinterpret_cast<void*>(address_); }  // NOLINT: as programs do
  std::size_t bytes() const { return count_ * sizeof(T); }
  void set(const std::vector<T>& values) { gpu().copy_to(address_, values.data(), bytes()); }
  std::vector<T> get() const {
    std::vector<T> values(count_);
    gpu().copy_from(values.data(), address_, bytes());
    return values;
  }

 private:
  static constexpr std::size_t Slack = 16;
  std::size_t count_;
  GpuAddress address_;
};

class GpuStream {
 public:
  GpuStream() : stream_(gpu().make_stream()) {}
  ~GpuStream() { gpu().destroy(stream_); }
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;
  GpuStreamHandle get() const { return stream_; }
  std::uintptr_t number() const { return reinterpret_cast<std::uintptr_t>(stream_); }

 private:
  GpuStreamHandle stream_;
};

}  // namespace thallo::test
