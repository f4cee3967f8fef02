#pragma once

// A CUDA device with its primary context, which cuSOLVER shares. The context is made when a Device
// is opened (some 0.2 s) and given back with the last reference to it.

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"

namespace thallo::cuda {

class Device {
 public:
  // Device `ordinal` of those that CUDA_VISIBLE_DEVICES leaves; its context is current on return.
  // Fails when the device gives no context (it is out of memory, or another process has it alone).
  static Expected<std::shared_ptr<const Device>> open(int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  CUcontext context() const { return context_; }
  // Can a kernel be launched before the one that it depends on has ended? From sm_90 on.
  bool launches_early() const { return launches_early_; }

  // The context belongs to a thread; every entry from outside calls this first.
  void make_current() const;

 private:
  Device() = default;

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  DeviceInfo info_;
  bool launches_early_ = false;
};

// Asks the driver only, makes no context. Empty without a driver.
std::vector<DeviceInfo> list_devices();

// In-order queue of work, not the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  CUstream get() const { return stream_; }
  void synchronize() const;

 private:
  CUstream stream_ = nullptr;
};

// A loaded cubin.
class Module {
 public:
  explicit Module(const std::string& cubin);
  ~Module();
  Module(Module&& other) noexcept;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module& operator=(Module&&) = delete;

  CUfunction function(const std::string& name) const;

 private:
  CUmodule module_ = nullptr;
};

struct FunctionUsage {
  int registers = 0;
  int spill_bytes = 0;  // local memory a thread
};
FunctionUsage usage(CUfunction function);

// Launches a kernel whose only parameter is the struct at `args`. THALLO_CUDA_SYNC=1 waits for it,
// so that a fault is reported with the label of the launch that made it.
void launch(CUstream stream, CUfunction function, unsigned int num_blocks, unsigned int block_size,
            unsigned int shared_bytes, const void* args, const std::string& label);

// THALLO_CUDA_SYNC=1.
bool synchronous_launches();

}  // namespace thallo::cuda
