#pragma once

#include "core/kernel/preconditioner.h"

namespace thallo {

class NoPreconditioner final : public Preconditioner {
 public:
  std::string_view name() const override { return "none"; }
  std::string_view doc() const override { return "the cheapest iterations, and the most of them"; }
  InverseForm form() const override { return InverseForm::Identity; }
  double expected_iterations(const LinearCase& the_case) const override {
    return 2 * the_case.diagonal_iterations();
  }
  ExprId invert(ExprGraph& graph, const DiagonalEntry&) const override { return graph.constant(1); }
};

}  // namespace thallo
