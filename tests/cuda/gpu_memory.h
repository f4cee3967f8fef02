// Memory and streams of the first GPU, as programs that embed Thallo have them. The driver is opened
// at run time, so that the tests build and skip without one.
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace thallo::test {

// The functions of the driver, with its primary context.
class CudaDriver {
 public:
  // Null without a driver or a device.
  static const CudaDriver* find() {
    static const CudaDriver driver;
    return driver.context_ != nullptr ? &driver : nullptr;
  }
  // Calls a function by its name; every thread that calls it gets the context.
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Function>(dlsym(library_, name));
    const auto make_current =
        reinterpret_cast<decltype(&cuCtxSetCurrent)>(dlsym(library_, "cuCtxSetCurrent"));
    make_current(context_);
    const CUresult code = function(arguments...);
    if (code != CUDA_SUCCESS)
      throw std::runtime_error(std::string(name) + ": " + std::to_string(code));
  }

 private:
  CudaDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) return;
    const auto init = reinterpret_cast<decltype(&cuInit)>(dlsym(library_, "cuInit"));
    const auto retain = reinterpret_cast<decltype(&cuDevicePrimaryCtxRetain)>(
        dlsym(library_, "cuDevicePrimaryCtxRetain"));
    if (init(0) != CUDA_SUCCESS || retain(&context_, 0) != CUDA_SUCCESS) context_ = nullptr;
  }

  void* library_;
  CUcontext context_ = nullptr;
};

#define THALLO_CALL_CUDA(function, ...) \
  ::thallo::test::CudaDriver::find()->call<decltype(&::function)>(#function, __VA_ARGS__)

#define THALLO_REQUIRE_CUDA_DRIVER() \
  if (::thallo::test::CudaDriver::find() == nullptr) GTEST_SKIP() << "no CUDA driver or device"

// Values in the memory of the GPU.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& values) : count_(values.size()) {
    THALLO_CALL_CUDA(cuMemAlloc_v2, &address_, count_ * sizeof(T) + Slack);
    set(values);
  }
  ~OnGpu() { THALLO_CALL_CUDA(cuMemFree_v2, address_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  CUdeviceptr address() const { return address_; }
  void* pointer() const { return reinterpret_cast<void*>(address_); }  // NOLINT: as programs do
  std::size_t bytes() const { return count_ * sizeof(T); }
  void set(const std::vector<T>& values) {
    THALLO_CALL_CUDA(cuMemcpyHtoD_v2, address_, values.data(), bytes());
  }
  std::vector<T> get() const {
    std::vector<T> values(count_);
    THALLO_CALL_CUDA(cuMemcpyDtoH_v2, values.data(), address_, bytes());
    return values;
  }

 private:
  static constexpr std::size_t Slack = 16;
  std::size_t count_;
  CUdeviceptr address_ = 0;
};

class GpuStream {
 public:
  GpuStream() { THALLO_CALL_CUDA(cuStreamCreate, &stream_, CU_STREAM_NON_BLOCKING); }
  ~GpuStream() { THALLO_CALL_CUDA(cuStreamDestroy_v2, stream_); }
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;
  CUstream get() const { return stream_; }
  std::uintptr_t number() const { return reinterpret_cast<std::uintptr_t>(stream_); }

 private:
  CUstream stream_ = nullptr;
};

}  // namespace thallo::test
