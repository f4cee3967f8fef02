#pragma once

// How much memory a program takes for one bound instance: what its schedule stores, which a memory
// limit is about, and all that a backend allocates for it.

#include <string>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo {

// Bytes are doubles here, since numbers near 2^63 must not overflow.
struct StoredBuffer {
  std::string name;
  double bytes = 0;
};

// The stored J, JtJ and Jp of a program, whose numbers are of the given working precision unless a
// schedule says otherwise.
std::vector<StoredBuffer> stored_products(const KernelProgram& program, const ProgramSizes& sizes,
                                          Precision precision);
double total_bytes(const std::vector<StoredBuffer>& buffers);
// "JtJ of it 8 TiB": the largest one. There must be one.
std::string largest_text(const std::vector<StoredBuffer>& buffers);

// Every buffer of the program, then every table of indices that is made when it is bound.
std::vector<StoredBuffer> program_buffers(const KernelProgram& program, const ProgramSizes& sizes,
                                          Precision precision);

// All bytes of a program: unknowns and arrays, sparse maps with the program's own tables, the
// solver's vectors, and what is stored. Workspaces of libraries are not known before these are
// asked, and do not count.
double program_bytes(const KernelProgram& program, const ProgramSizes& sizes, Precision precision);

}  // namespace thallo
