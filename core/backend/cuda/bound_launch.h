#pragma once

// A kernel with everything that its launch takes.

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

namespace thallo::cuda {

struct BoundLaunch {
  CUfunction function = nullptr;
  unsigned int num_blocks = 0;
  unsigned int block_size = 0;
  unsigned int shared_bytes = 0;     // dynamic
  std::vector<std::uint64_t> words;  // of the argument struct
  bool has_loop_condition = false;
  std::string label;
};

}  // namespace thallo::cuda
