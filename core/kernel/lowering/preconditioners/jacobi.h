#pragma once

#include "core/kernel/preconditioner.h"

namespace thallo {

// The inverse of an entry is that which others fall back to (Preconditioner::invert).
class Jacobi final : public Preconditioner {
 public:
  std::string_view name() const override { return "jacobi"; }
  std::string_view doc() const override {
    return "divides by the diagonal: for unknowns of different scales";
  }
  InverseForm form() const override { return InverseForm::Diagonal; }
};

}  // namespace thallo
