// A sparse JtJ, stored as blocks (format blocks) or as a CSR matrix made of such blocks (format
// csr, and JtJ of a sparse direct solver). Private to lowering.
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Of one part. `fill_jtj` stores the blocks of JtJ that are not zero, and `apply_jtjp` applies
// them.
void lower_block_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces);
// `mirror_jtj` makes a CSR matrix of the blocks, which a library applies.
void lower_csr_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces);

class HalfJtJ;

// JtJ of all parts as one CSR matrix in double, which becomes the last of the program's matrices.
// The kernels that fill it compute in double: a factorization in double of a matrix in float loses
// small eigenvalues, as those of a long chain of poses are, to the rounding of the large ones.
class SolverJtJ {
 public:
  // The expressions are those of the pieces of all parts; both must outlive it.
  SolverJtJ(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces);
  ~SolverJtJ();
  SolverJtJ(const SolverJtJ&) = delete;
  SolverJtJ& operator=(const SolverJtJ&) = delete;

  // A piece is added by one of these: statements at its points, none of which may be in a loop, or
  // a kernel of its own.
  Block additions(const PartExpressions& piece) const;
  void fill(const PartExpressions& piece);
  // Once all pieces are added.
  void finish();

 private:
  std::unique_ptr<HalfJtJ> half_;
};

}  // namespace thallo
