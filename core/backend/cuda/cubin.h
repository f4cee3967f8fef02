#pragma once

// Reads the resources that a kernel needs from the machine code that NVRTC made, so no driver is
// needed. The numbers equal those that the driver reports for the loaded kernel
// (cuFuncGetAttribute) and those of `ptxas -v`; `cuobjdump -res-usage` adds to shared memory what
// the system reserves.

#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo::cuda {

struct KernelUsage {
  int registers = 0;  // per thread
  // Local memory (stack) per thread. It holds spilled registers (each place counts once, however
  // often it is stored and loaded) and arrays whose indices are computed; sin and cos have one of
  // 32 bytes, for large angles.
  int local_bytes = 0;
  // Shared memory per block that the kernel declares, without what the system reserves in every
  // block.
  int shared_bytes = 0;
};

// Fails if the bytes are not a cubin, are damaged, or contain no kernel of that name.
Expected<KernelUsage> read_kernel_usage(std::string cubin, std::string_view kernel);

}  // namespace thallo::cuda
