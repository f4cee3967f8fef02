// The types of scalars in memory. A field declared as Working is float or double, depending on how
// the program is compiled; other types are as declared.
#pragma once

#include <cstddef>

#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo {

// Returns Half, Float, Double, Int32 or UInt8, given the working precision.
ScalarType memory_type(const KernelProgram& program, FieldId field, Precision precision);
ScalarType memory_type(ScalarType declared, Precision precision);

std::size_t size_of(ScalarType memory_type);  // bytes

}  // namespace thallo
