#pragma once

// Channels of one element that are loaded or stored together: where a field has 2 or 4 of them (2
// in double), an element is one aligned vector, and the CUDA emitter reaches it with one access.

#include <map>
#include <memory>
#include <vector>

#include "core/kernel/code.h"
#include "core/kernel/uses.h"

namespace thallo {

// Scalars of the vector type that an element of the field is; 1 when it is none.
int vector_width(const KernelProgram& program, FieldId field, bool double_precision);

// Loads of several channels of one element, in one block and under one guard.
struct VectorLoad {
  FieldId field;
  int width = 0;
  std::vector<ValueId> members;
};

// By each of its members. Values that nobody uses are left out.
std::map<ValueId, std::shared_ptr<const VectorLoad>> find_vector_loads(const KernelProgram& program,
                                                                       const CodeBody& body,
                                                                       const CodeBlock& block,
                                                                       const Uses& uses,
                                                                       bool double_precision);

}  // namespace thallo
