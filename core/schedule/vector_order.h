#pragma once

// How the channels of an element lie in the solver's own memory: in its vectors and in its blocks
// per element (core/kernel/vector_layout.h has the addresses).

#include <string_view>

namespace thallo {

enum class VectorOrder {
  Plain,    // side by side, like data that the user binds
  Blocked,  // in chunks of 4, 2 and 1 channels, each contiguous
};
std::string_view to_string(VectorOrder order);  // "plain"

}  // namespace thallo
