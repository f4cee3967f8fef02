#pragma once

// A CUDA device with its primary context, which the CUDA libraries share. The context is made when
// a Device is opened (about 0.2 s) and released with the last reference to the Device.

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"

namespace thallo::cuda {

class Device {
 public:
  // Opens device `ordinal` of those that CUDA_VISIBLE_DEVICES leaves; its context is current on
  // return. Fails if there is no such device, or if it provides no context (it is out of memory, or
  // another process has exclusive use of it).
  static Expected<std::shared_ptr<const Device>> open(int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  int ordinal() const { return ordinal_; }
  CUcontext context() const { return context_; }
  // True if a kernel can be launched before the kernel that it depends on has ended: from sm_90 on.
  bool launches_early() const { return launches_early_; }
  std::size_t l2_bytes() const { return l2_bytes_; }  // of the cache shared by all multiprocessors

  int attribute(CUdevice_attribute which) const;
  // Identifies the kind of device and its driver: "NVIDIA H200, driver 13.0".
  std::string identity() const;

  // Makes the context current for the calling thread. Every function that is called from outside
  // this folder does so first.
  void make_current() const;

 private:
  Device() = default;

  int ordinal_ = 0;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  DeviceInfo info_;
  bool launches_early_ = false;
  std::size_t l2_bytes_ = 0;
};

// Returns all devices. Queries the driver only and makes no context; empty without a driver.
std::vector<DeviceInfo> list_devices();

// An in-order queue of work; never the default stream.
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

// A launch in one dimension.
struct LaunchGrid {
  unsigned int num_blocks = 1;
  unsigned int block_size = 1;    // threads of a block
  unsigned int shared_bytes = 0;  // dynamic shared memory of a block
};

// Launches a kernel whose only parameter is the struct at `args`. With THALLO_CUDA_SYNC=1 it waits
// for the kernel, so that a fault is reported with the label of the launch that caused it.
void launch(CUstream stream, CUfunction function, const LaunchGrid& grid, const void* args,
            const std::string& label);

// True if THALLO_CUDA_SYNC=1 is set.
bool synchronous_launches();

}  // namespace thallo::cuda
