#pragma once

// What the functions of an energy do to dual numbers: the value and, by the chain rule, the partial
// derivatives. Only operations that need nothing but their operands are here; PointEvaluator
// evaluates the others (reads, sums, samples, comparisons). Nothing is shared with symbolic
// differentiation.

#include "core/energy/evaluate/dual.h"
#include "core/ir/op.h"

namespace thallo {

// A function of one operand: Sqrt, Exp, Log, Log10, Abs, the trigonometric and hyperbolic functions
// and their inverses. Any other op is an assertion failure.
Dual apply_function(Op function, const Dual& a);

Dual powi(const Dual& base, int exponent);
// The derivative by the exponent is left out if the exponent has no partials and the base is not
// positive, because the logarithm of the base is then infinite or not a number.
Dual pow(const Dual& base, const Dual& exponent);
Dual atan2(const Dual& y, const Dual& x);

}  // namespace thallo
