// The Schur complement S = U + D - W V^-1 W^T of a direct solver that eliminates unknowns
// (docs/algorithms.md, "Elimination"), over the scalars of the unknowns that are kept. Parts add W
// in blocks, one for each pair of a kept and an eliminated element that meet, and what `blocks()`
// have not of U. Each damping then forms S of them: all in double, because S is a small difference
// of large numbers. Private to lowering.
#pragma once

#include <map>
#include <vector>

#include "core/kernel/lowering/schur_half.h"

namespace thallo {

// To be made before the kernels of Phase::Damp are. The pieces are those of all parts; both must
// outlive it.
class SchurComplement {
 public:
  SchurComplement(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces);

  // A piece is added by one of these: statements at its points, none of which may be in a loop, or
  // kernels of its own.
  Block additions(const PartExpressions& piece) const;
  void fill(const PartExpressions& piece);
  // Once all pieces are added: forms S and its right-hand side, of which V^-1, which Phase::Damp
  // computes, takes something.
  void lower_products();

 private:
  void collect(const PartExpressions& e);

  ProgramBuilder& b_;
  SchurHalf half_;
  StoredBlocks w_;
  std::map<const PartExpressions*, Block> kept_entries_;  // of U, outside of blocks()
};

// Forms S, solves, and computes the step of all unknowns.
void lower_schur_solve(ProgramBuilder& builder);

}  // namespace thallo
