#pragma once

// How a CUDA kernel is launched, as far as a schedule says; 0 leaves it to the backend.

namespace thallo {

struct LaunchShape {
  int threads_per_block = 0;
  int resident_threads = 0;  // per multiprocessor; the compiler must leave registers for so many
  int rows_per_thread = 0;   // points that a thread computes, one after the other

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

}  // namespace thallo
