// The Cholesky factor of a dense matrix, with the standard library alone.
#pragma once

#include <memory>

#include "core/linear/factorization.h"

namespace thallo {

class PlainCholesky final : public MatrixSolver {
 public:
  MatrixForm form() const override { return MatrixForm::Dense; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override;
};

}  // namespace thallo
