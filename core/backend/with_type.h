#pragma once

// Converts the memory type of a field's elements, known at run time, to a C++ type.

#include <cstdint>

#include "core/base/error.h"
#include "core/base/half.h"
#include "core/energy/energy.h"

namespace thallo {

// Calls visit(T{}), where T is the C++ type of `memory_type` (core/kernel/memory_type.h), which is
// never Working.
template <class Visit>
auto with_type(ScalarType memory_type, Visit visit) {
  switch (memory_type) {
    case ScalarType::Half: return visit(Half{});
    case ScalarType::Float: return visit(float{});
    case ScalarType::Double: return visit(double{});
    case ScalarType::Int32: return visit(std::int32_t{});
    case ScalarType::UInt8: return visit(std::uint8_t{});
    case ScalarType::Working: break;
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
