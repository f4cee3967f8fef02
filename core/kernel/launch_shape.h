#pragma once

// How a CUDA kernel is launched, as far as a schedule decides it; 0 leaves a number to the backend.

namespace thallo {

struct LaunchShape {
  int threads_per_block = 0;
  int resident_threads = 0;  // per multiprocessor; the compiler limits registers to allow it
  int rows_per_thread = 0;   // points that a thread computes sequentially

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

}  // namespace thallo
