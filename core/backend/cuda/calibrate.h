#pragma once

// Measures the rates that a device really reaches, with small kernels, in about a second. They
// bound what a solver can reach on the device (`thallo devices --calibrate` prints them). No CUDA
// types here.

#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo::cuda {

struct Measurement {
  std::string name;  // "copy"
  double value = 0;
  std::string unit;  // "GB/s"
  std::string note;  // how it was taken: "read + write, 1024 MiB"
};

// Measures the first device. Fails with the reason why there is none, or when memory is short.
//   copy, read                     GB/s, long arrays
//   gather, 3 MiB .. 192 MiB       GB/s of 32-byte records at random places of a table
//   atomic, 1 .. 1e7 addresses     G/s float atomicAdd
//   launch, launch and wait        us of an empty kernel
//   float, double                  GFLOP/s of fused multiply-adds
Expected<std::vector<Measurement>> calibrate();

}  // namespace thallo::cuda
