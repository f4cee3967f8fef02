#pragma once

// How the channels of an element lie in the solver's own memory: in its vectors and in its blocks
// per element (core/kernel/vector_layout.h has the addresses).

#include "core/base/enum_names.h"

namespace thallo {

enum class VectorOrder {
  Plain,    // side by side, like data that the user binds
  Blocked,  // in chunks of 4, 2 and 1 channels, each contiguous
};
template <>
inline constexpr EnumNames enum_names<VectorOrder> = {"order of vectors", {"plain", "blocked"}};

}  // namespace thallo
