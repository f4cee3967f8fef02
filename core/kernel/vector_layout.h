#pragma once

// Where the scalars of fields lie in memory: emitters, the interpreter and the memory of host and
// device all ask here, so that another layout of the solver vectors is added in this one class.
//
// The layout is `plain`: element by element (first dimension fastest), the channels of an element
// adjacent, nothing between them; the views of a buffer (one per unknown) follow each other in
// declaration order, which is the order of the unknown vector. The user's fields are always plain.

#include <cstdint>
#include <vector>

#include "core/kernel/program.h"

namespace thallo {

class ProgramSizes;

// One channel of a field, for every element: scalar `stride * element + first` from where the field
// begins.
struct ChannelPlace {
  int stride = 1;
  int first = 0;

  std::int64_t of(std::int64_t element) const { return stride * element + first; }
};

// Part of a buffer that is a field of its own, from this scalar of the buffer on.
struct BufferView {
  FieldId field;
  std::int64_t begin = 0;
};

class VectorLayout {
 public:
  // `program` must outlive it.
  explicit VectorLayout(const KernelProgram& program) : program_(program) {}

  ChannelPlace place(FieldId field, int channel) const;
  // In the unknown vector, from where the unknown begins there: rows and columns of a dense JtJ.
  ChannelPlace column(FieldId unknown, int channel) const;
  // Scalars of memory that an element takes, of a field and in the unknown vector.
  int scalars_per_element(FieldId field) const;
  int columns_per_element(FieldId unknown) const;
  // All views of a buffer, the flat one included.
  std::vector<BufferView> views(const BufferDecl& buffer, const ProgramSizes& sizes) const;

 private:
  const KernelProgram& program_;
};

}  // namespace thallo
