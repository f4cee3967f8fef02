#pragma once

// Elementwise sections, such as the solver's flat kernels: every field is read and written at the
// section's one coordinate, one scalar an element, so that consecutive points are consecutive
// scalars. A CUDA thread then computes as many points as fit 16 bytes in the working precision, and
// reaches memory with one vector access per field (of 8 bytes where a field is stored as float in a
// double program).

#include <set>

#include "core/kernel/code.h"
#include "core/schedule/precision.h"

namespace thallo {

inline constexpr int LaneBytes = 16;

// Returns the number of points that a CUDA thread computes at a time: 4 in float and 2 in double
// for an elementwise section, else 1. Without the pass `vector_access` it is 1 for all.
int lanes_per_thread(const KernelProgram& program, const CodeBody& section, Precision precision);

// The fields of an elementwise section, except the state and params.
struct LaneFields {
  std::set<FieldId> read, written;
};
LaneFields lane_fields(const KernelProgram& program, const CodeBody& section);

}  // namespace thallo
