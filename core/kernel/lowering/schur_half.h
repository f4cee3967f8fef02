// The Schur complement S over the scalars of the unknowns that are kept, as a half: H with
// S = H + H^T, in double. It is a full matrix, or for a solver that takes a sparse one it consists
// of blocks, for each two elements that meet at an eliminated one or in a residual. Private to
// lowering.
#pragma once

#include <map>
#include <optional>

#include "core/kernel/lowering/stored_blocks.h"

namespace thallo {

class SchurHalf {
 public:
  static constexpr const char* Buffer = "schur_complement";  // of S

  // To be made before any kernel that adds to it.
  explicit SchurHalf(ProgramBuilder& builder);

  // Entry (row, column) += value, at points of a kernel, of which `any` is a domain.
  Statement add(const UnknownScalar& row, const UnknownScalar& col, ExprId value, DomainId any);
  // The same once for each linearization: H begins with these entries.
  Statement add_first(const UnknownScalar& row, const UnknownScalar& col, ExprId value,
                      DomainId any);

  // Lets H begin, at each damping. To be called once all first entries are known.
  void begin();
  // Makes S of H, once all is added.
  void finish();

 private:
  // Of one entry, where there are blocks.
  struct Place {
    StoredBlocks::Unknowns unknowns;
    IndexId block;
    int channel = 0;
  };
  Place place(const UnknownScalar& row, const UnknownScalar& col, DomainId any);
  FieldId first_values(const StoredBlocks::Unknowns& unknowns);
  Kernel copy_of_first_entries();

  ProgramBuilder& b_;
  std::optional<StoredBlocks> blocks_;
  std::map<StoredBlocks::Unknowns, FieldId> first_values_;
  bool has_first_entries_ = false;
};

}  // namespace thallo
