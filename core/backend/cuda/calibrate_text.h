#pragma once

// The text of the calibration kernels (calibrate.h), and their argument. No CUDA types here.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/backend/cuda/compile.h"

namespace thallo::cuda {

inline constexpr unsigned int ProbeBlockSize = 256;

// Every kernel takes this struct; addresses are device addresses.
struct ProbeArgs {
  std::uint64_t in = 0, out = 0;
  std::int64_t count = 0;
  // The number of records of a table, of addresses of an addition, or of passes of a copy. It is
  // also the word in which a graph passes the handle of its condition (launch.h).
  std::int64_t range = 0;
};
inline std::vector<std::uint64_t> words_of(const ProbeArgs& args) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 4>>(args);
  return {words.begin(), words.end()};
}

Source calibration_source();

}  // namespace thallo::cuda
