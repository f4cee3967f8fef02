#pragma once

#include <cstddef>
#include <cstdint>

namespace thallo {

// If a text exceeds one of these limits, loading ends with a message. The first four limits are
// exact, so that loading does not depend on the machine; the time limits everything that they do
// not count.
struct LoadLimits {
  std::int64_t instructions = 50'000'000;  // executed by the Lua machine
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::size_t expressions = 250'000;  // nodes of the expression graph
  std::size_t operands = 60'000'000;  // of its sums and products together
  double seconds = 60;
};

}  // namespace thallo
