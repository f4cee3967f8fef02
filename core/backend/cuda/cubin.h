#pragma once

// What a kernel takes of a multiprocessor, read from the machine code that NVRTC makes, so that no
// driver is needed. It is what the driver answers for the loaded kernel (cuFuncGetAttribute) and
// what `ptxas -v` says; `cuobjdump -res-usage` adds to shared memory what the system keeps.

#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo::cuda {

struct KernelUsage {
  int registers = 0;  // of a thread
  // Local memory of a thread, its stack: the registers that are spilled (each place once, however
  // often it is stored and loaded), and arrays whose indices are computed; sin and cos have one of
  // 32 bytes, for large angles.
  int local_bytes = 0;
  // Of a block: what the kernel declares, without what the system keeps of every block.
  int shared_bytes = 0;
};

// Fails when the bytes are no cubin, are damaged, or have no kernel of that name.
Expected<KernelUsage> read_kernel_usage(std::string cubin, std::string_view kernel);

}  // namespace thallo::cuda
