#pragma once

// The signature of a kernel is a hash of what it computes and how: label, launch shape, sections
// and statements. Fields and domains enter by name, not by the number (id) that the program
// happened to give them. So the kernels of two programs of one energy are the same kernel when
// their signatures are equal. (Their emitted texts may still differ in the order of operands, which
// depends on hashes of the numbers.)
//
// The epilogue is part of the signature only for the solver's own kernels. Parts have one epilogue
// in common, which stores the cost: it is attached to whichever part's cost kernel comes last, and
// a part's kernel must not change its signature because another part's moved.

#include "core/base/hash.h"
#include "core/energy/found/content_hash.h"
#include "core/kernel/program.h"

namespace thallo {

class KernelSignatures {
 public:
  explicit KernelSignatures(const KernelProgram& program);

  Hash128 of(const Kernel& kernel);

 private:
  // The domains that enclose a statement: those of its section, then those of the loops around it.
  using Domains = std::vector<DomainId>;
  Hash128 of(const Block& block, const Domains& domains);
  Hash128 of(const Statement& statement, const Domains& domains);
  Hash128 of(ExprId expression, const Domains& domains);
  Hash128 of_place(FieldId field, IndexId index, int channel, const Domains& domains);

  KernelProgram program_;  // a copy: places that are stored to are added to its graph as reads
  // Each field is described by its name, its number among equal names, its type and layout.
  Energy::Data names_;
};

}  // namespace thallo
