// How types and numbers are spelled in the dialects. Private to emission.
#pragma once

#include <string>
#include <string_view>

#include "core/energy/energy.h"
#include "core/kernel/arguments.h"

namespace thallo {

inline std::string_view real_name(bool is_double) { return is_double ? "double" : "float"; }
// "half_t", "float" ...; `type` is one of memory_type().
std::string_view memory_name(ScalarType type);

// 0.1f, 2.0, HUGE_VAL: reads back as exactly the same number. `value` >= 0 or NaN.
std::string literal(Dialect dialect, double value, bool as_double);

}  // namespace thallo
