#include "core/backend/cuda/device.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/backend/cuda/driver.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

int attribute_of(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  THALLO_CUDA(cuDeviceGetAttribute(&value, which, device));
  return value;
}

std::string uuid_of(CUdevice device) {
  CUuuid uuid{};
  THALLO_CUDA(cuDeviceGetUuid_v2(&uuid, device));
  std::string digits;
  for (const char byte : uuid.bytes)
    digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

DeviceInfo describe(CUdevice device) {
  DeviceInfo info;
  std::array<char, 256> name{};
  THALLO_CUDA(cuDeviceGetName(name.data(), static_cast<int>(name.size()), device));
  info.name = name.data();
  info.architecture =
      fmt::format("sm_{}{}", attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                  attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.num_units = attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.uuid = uuid_of(device);
  std::size_t bytes = 0;
  THALLO_CUDA(cuDeviceTotalMem_v2(&bytes, device));
  info.memory_bytes = static_cast<std::int64_t>(bytes);
  return info;
}

// Logs a failed release at debug level only: destructors cannot throw, and after a device fault
// every call fails.
void release(CUresult code, const char* call) {
  if (code != CUDA_SUCCESS && code != CUDA_ERROR_DEINITIALIZED) {
    logger("cuda").debug("{}: {}", call, error_text(code));
  }
}

}  // namespace

Expected<std::shared_ptr<const Device>> Device::open(int ordinal) {
  const auto start = std::chrono::steady_clock::now();
  THALLO_CHECK(check_ordinal("cuda", ordinal, list_devices()));
  const std::shared_ptr<Device> device(new Device);
  device->ordinal_ = ordinal;
  THALLO_CUDA(cuDeviceGet(&device->device_, ordinal));
  device->info_ = describe(device->device_);
  device->launches_early_ =
      attribute_of(device->device_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9;
  device->l2_bytes_ =
      static_cast<std::size_t>(attribute_of(device->device_, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  if (const CUresult code = driver().cuDevicePrimaryCtxRetain(&device->context_, device->device_);
      code != CUDA_SUCCESS) {
    return fail("no context on CUDA device {} ({}): {}", ordinal, device->info_.name,
                error_text(code));
  }
  device->make_current();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  logger("cuda").info("{} ({}, {} multiprocessors, {:.1f} GiB), context in {:.2f} s",
                      device->info_.name, device->info_.architecture, device->info_.num_units,
                      static_cast<double>(device->info_.memory_bytes) / (1 << 30), elapsed.count());
  return device;
}

Device::~Device() {
  if (context_ == nullptr) return;
  release(driver().cuDevicePrimaryCtxRelease_v2(device_), "cuDevicePrimaryCtxRelease");
}

int Device::attribute(CUdevice_attribute which) const { return attribute_of(device_, which); }

std::string Device::identity() const {
  int version = 0;
  THALLO_CUDA(cuDriverGetVersion(&version));
  return fmt::format("{}, driver {}.{}", info_.name, version / 1000, version % 1000 / 10);
}

void Device::make_current() const { THALLO_CUDA(cuCtxSetCurrent(context_)); }

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  if (!find_driver()) return devices;
  int count = 0;
  THALLO_CUDA(cuDeviceGetCount(&count));
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    THALLO_CUDA(cuDeviceGet(&device, i));
    devices.push_back(describe(device));
  }
  return devices;
}

Stream::Stream() { THALLO_CUDA(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)); }
Stream::~Stream() { release(driver().cuStreamDestroy_v2(stream_), "cuStreamDestroy"); }
void Stream::synchronize() const { THALLO_CUDA(cuStreamSynchronize(stream_)); }

Module::Module(const std::string& cubin) { THALLO_CUDA(cuModuleLoadData(&module_, cubin.data())); }
Module::~Module() {
  if (module_ != nullptr) release(driver().cuModuleUnload(module_), "cuModuleUnload");
}
Module::Module(Module&& other) noexcept : module_(std::exchange(other.module_, nullptr)) {}

CUfunction Module::function(const std::string& name) const {
  CUfunction function = nullptr;
  THALLO_CUDA_FOR(name, cuModuleGetFunction(&function, module_, name.c_str()));
  return function;
}

void launch(CUstream stream, CUfunction function, const LaunchGrid& grid, const void* args,
            const std::string& label) {
  // The driver copies the parameters and does not write to them.
  void* parameters[] = {const_cast<void*>(args)};
  THALLO_CUDA_FOR(label, cuLaunchKernel(function, grid.num_blocks, 1, 1, grid.block_size, 1, 1,
                                        grid.shared_bytes, stream, parameters, nullptr));
  if (synchronous_launches()) THALLO_CUDA_FOR(label, cuStreamSynchronize(stream));
}

bool synchronous_launches() {
  static const bool on = [] {
    const char* value = std::getenv("THALLO_CUDA_SYNC");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return on;
}

}  // namespace thallo::cuda
