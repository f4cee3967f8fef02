#pragma once

// Numbers of 16 bits in emitted text: memory of type half_t, loaded by from_half() and stored by
// to_half(), which convert from and to float.

#include <string>

#include "core/kernel/arguments.h"

namespace thallo {

// The type and the two functions.
std::string half_definitions(Dialect dialect);

inline std::string from_half(const std::string& text) { return "from_half(" + text + ")"; }
inline std::string to_half(const std::string& text) { return "to_half(" + text + ")"; }

}  // namespace thallo
