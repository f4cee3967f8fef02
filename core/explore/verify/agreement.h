#pragma once

// Compares the results of two executables of one problem on the problem's own data: the cost,
// gradient, diagonal and (JtJ + D) p at the start. The true values would take too long to compute
// there; the small instance of a problem is compared with the truth instead (conformance.h).

#include <vector>

#include "core/backend/backend.h"
#include "core/schedule/precision.h"
#include "core/solve/options.h"

namespace thallo {

struct Operator {
  double cost = 0;
  std::vector<double> gradient, diagonal, product;
};

// Runs the phases of a linearization at the current unknowns and applies the operator to a
// direction, which is the same for all executables. The executable must be bound.
Operator operator_of(Executable& executable, const SolverOptions& options);

// Returns the largest difference, relative to the largest value of its kind; infinite if a value is
// not a number.
double disagreement(const Operator& a, const Operator& b);
// Returns the difference that two correct programs may have, since they sum in different orders.
double agreement_tolerance(Precision precision);

}  // namespace thallo
