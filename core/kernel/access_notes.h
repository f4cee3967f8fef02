#pragma once

// Collects the accesses of a kernel scalar by scalar, and combines those to adjacent channels of an
// element into one Access (features.h).

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/kernel/features.h"
#include "core/kernel/vector_layout.h"

namespace thallo {

class AccessNotes {
 public:
  // All arguments must outlive the notes.
  AccessNotes(const KernelProgram& program, const VectorLayout& layout, const ProgramSizes& sizes,
              Precision precision)
      : program_(program), layout_(layout), sizes_(sizes), precision_(precision) {}

  // One channel of an element of a field.
  struct Scalar {
    Access::Kind kind = Access::Kind::Read;
    FieldId field;
    int channel = 0;
    ValueId element;
  };
  // Records `count` accesses to the scalar. `begins_piece` is false for an addition that is
  // combined with the addition before it.
  void note(const Scalar& scalar, Motion motion, MapId map, double count, bool begins_piece = true);
  // Returns what was recorded since the last call. Must be called after each section, because the
  // next section numbers its values anew.
  std::vector<Access> take();

 private:
  struct Noted {
    Access access;
    std::set<int> channels;
    std::set<int> beginnings;  // channels with which a separate addition begins
  };
  double scalar_bytes(FieldId field) const;
  double pieces(FieldId field, const Noted& noted) const;

  const KernelProgram& program_;
  const VectorLayout& layout_;
  const ProgramSizes& sizes_;
  Precision precision_;
  // The last component of the key is the chunk of the element.
  std::map<std::tuple<Access::Kind, FieldId, ValueId, int>, Noted> noted_;
};

}  // namespace thallo
