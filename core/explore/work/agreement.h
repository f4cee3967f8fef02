#pragma once

// Compares what two executables of one problem compute on the problem's own data, where the true
// values would take too long: cost, gradient, diagonal and (JtJ + D) p at the start. The small
// instance of a problem is compared with the truth (conformance.h).

#include <vector>

#include "core/backend/backend.h"
#include "core/schedule/precision.h"
#include "core/solve/options.h"

namespace thallo {

struct Operator {
  double cost = 0;
  std::vector<double> gradient, diagonal, product;
};

// Runs the phases of a linearization at the current unknowns, and applies the operator to a
// direction that is the same for all executables. The executable must be bound.
Operator operator_of(Executable& executable, const SolverOptions& options);

// The largest of the differences, each relative to the largest value of its kind; infinite where a
// value is no number.
double disagreement(const Operator& a, const Operator& b);
// What two right programs may differ by, since they add up in different orders.
double agreement_tolerance(Precision precision);

}  // namespace thallo
