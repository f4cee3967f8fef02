#pragma once

// Channels of one element that are loaded or stored together: where elements are a multiple of 2 or
// 4 scalars apart and begin at one, they consist of aligned vectors, and the CUDA emitter reaches
// each with one access of up to 16 bytes.

#include <map>
#include <memory>
#include <vector>

#include "core/kernel/code.h"
#include "core/kernel/emit/uses.h"
#include "core/kernel/vector_layout.h"
#include "core/schedule/precision.h"

namespace thallo {

// Channels [first, first + channels) of an element, in a vector of `width` scalars; what is behind
// them in it is a gap (vector_layout.h).
struct VectorUnit {
  int first = 0;
  int width = 1;  // 1: no vector
  int channels = 1;
};

// The unit that the channel is in.
VectorUnit vector_unit(const KernelProgram& program, const VectorLayout& layout, FieldId field,
                       int channel, Precision precision);

// How many scatters from item `first` on add the channels of one vector, in order. More than 1 only
// in float, and to stored products or where the solver vectors are blocked; from sm_90 on such
// scatters are one atomic.
std::size_t vector_adds(const KernelProgram& program, const VectorLayout& layout,
                        const CodeBlock& block, std::size_t first, Precision precision);

// Loads of several channels of one unit of an element, in one block and under one guard.
struct VectorLoad {
  FieldId field;
  VectorUnit unit;
  std::vector<ValueId> members;
};

// The vector loads of `block`, by each value that is a member of one. Values without uses are left
// out.
std::map<ValueId, std::shared_ptr<const VectorLoad>> find_vector_loads(
    const KernelProgram& program, const VectorLayout& layout, const CodeBody& body,
    const CodeBlock& block, const Uses& uses, Precision precision);

}  // namespace thallo
