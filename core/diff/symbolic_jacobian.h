#pragma once

// The Jacobian of an energy from its symbolic derivatives (gradient.h), evaluated in double without
// a schedule or a compiler, row by row in the order and form of
// core/energy/evaluate/linearization.h. Its purpose is to check the derivatives themselves.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/diff/gradient.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"

namespace thallo {

class SymbolicJacobian {
 public:
  // The binding must be valid. It and the energy must outlive this object.
  SymbolicJacobian(const Energy& energy, const Binding& binding);

  // Returns the rows of the residuals at one point of a group, at the bound values of the unknowns.
  std::vector<ResidualRow> rows(std::size_t group, std::int64_t position);
  Linearization linearize();

 private:
  ResidualRow row(const std::vector<std::int64_t>& point, const std::vector<DomainId>& domains,
                  ExprId residual, const Gradient& gradient);

  const Energy& energy_;
  const Binding& binding_;
  EnergyEvaluator order_;  // numbers points and unknowns; its derivatives are not used
  ExprGraph graph_;        // the energy's expressions and their derivatives
  std::vector<std::vector<Gradient>> gradients_;  // [group][residual]
  std::vector<ExprId> slopes_;                    // of the losses of groups
  std::unique_ptr<PointEvaluator> evaluator_;     // made once the graph is complete
};

}  // namespace thallo
