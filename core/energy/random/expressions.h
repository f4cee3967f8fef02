// Random expressions of what a scope has: sums, products, selections, masks, Sums, samples, and
// functions that are bounded wherever they are evaluated.
#pragma once

#include "core/energy/random/scope.h"

namespace thallo::random_energy {

// An unknown or a constant.
Expr random_leaf(RandomInputs& in, const Scope& scope);

// A condition that stays clear of switching.
Expr random_condition(RandomInputs& in, const Scope& scope);

// `depth` bounds how deep operations are nested.
Expr random_expression(RandomInputs& in, const Scope& scope, int depth);

}  // namespace thallo::random_energy
