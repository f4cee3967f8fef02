#pragma once

// Puts the accesses of a kernel together, scalar by scalar: those to channels of an element that
// lie together are one Access (features.h).

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/kernel/features.h"
#include "core/kernel/vector_layout.h"

namespace thallo {

class AccessNotes {
 public:
  // All must outlive the notes.
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
  // An access to the scalar, `count` times. `begins_piece`: an addition, and not one with the
  // addition before it.
  void note(const Scalar& scalar, Motion motion, MapId map, double count, bool begins_piece = true);
  // What was noted since the last call. Values are those of a section, which the next numbers anew.
  std::vector<Access> take();

 private:
  struct Noted {
    Access access;
    std::set<int> channels;
    std::set<int> beginnings;  // channels with which an addition begins
  };
  double scalar_bytes(FieldId field) const;
  double pieces(FieldId field, const Noted& noted) const;

  const KernelProgram& program_;
  const VectorLayout& layout_;
  const ProgramSizes& sizes_;
  Precision precision_;
  // By chunk of the element, at last.
  std::map<std::tuple<Access::Kind, FieldId, ValueId, int>, Noted> noted_;
};

}  // namespace thallo
