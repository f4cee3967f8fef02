#pragma once

// What a kernel of a program computes and how, whatever the numbers of its fields, domains and
// statements: two programs of one energy have the same kernel when the signatures are equal. (The
// emitted text may differ even so: operands are ordered by hashes of numbers.) An epilogue counts
// in kernels of the solver alone. The parts share theirs: the last of the kernels that reduce the
// cost, whosever it is, stores it for all of them.

#include "core/base/hash.h"
#include "core/energy/found/content_hash.h"
#include "core/kernel/program.h"

namespace thallo {

class KernelSignatures {
 public:
  explicit KernelSignatures(const KernelProgram& program);

  Hash128 of(const Kernel& kernel);

 private:
  // The domains of a section and of the loops around a statement.
  using Domains = std::vector<DomainId>;
  Hash128 of(const Block& block, const Domains& domains);
  Hash128 of(const Statement& statement, const Domains& domains);
  Hash128 of(ExprId expression, const Domains& domains);
  Hash128 of_place(FieldId field, IndexId index, int channel, const Domains& domains);

  KernelProgram program_;  // its graph makes reads of what is stored
  Energy::Data names_;     // fields by name, place in their buffer, type and layout
};

}  // namespace thallo
