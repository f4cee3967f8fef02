#pragma once

// Computes the memory of a program for one bound instance: what its schedule stores, which a memory
// limit applies to, and everything that a backend allocates for it.

#include <string>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo {

// Bytes are doubles here, because numbers near 2^63 must not overflow.
struct StoredBuffer {
  std::string name;
  double bytes = 0;
};

// Returns the stored J, JtJ and Jp of a program. Their numbers have the given working precision
// unless a schedule says otherwise.
std::vector<StoredBuffer> stored_products(const KernelProgram& program, const ProgramSizes& sizes,
                                          Precision precision);
double total_bytes(const std::vector<StoredBuffer>& buffers);
// Describes the largest buffer: "JtJ of it 8 TiB". There must be at least one.
std::string largest_text(const std::vector<StoredBuffer>& buffers);

// Returns every buffer of the program, followed by every table of indices that is made when it is
// bound.
std::vector<StoredBuffer> program_buffers(const KernelProgram& program, const ProgramSizes& sizes,
                                          Precision precision);

// Returns all bytes of a program: unknowns and arrays, sparse maps including the program's own
// tables, the solver's vectors, and what is stored. Workspaces of libraries are unknown at this
// point and not included.
double program_bytes(const KernelProgram& program, const ProgramSizes& sizes, Precision precision);

}  // namespace thallo
