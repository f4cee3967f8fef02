// Finds what makes the cost of an energy, or a derivative, infinite or NaN, for messages about a
// solve that cannot start or that finds no step.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/schedule/precision.h"

namespace thallo {

// Describes the first residual that is not finite in that precision, with its point and the cause:
//
//   fit at (i) = (3) is -inf, since log(x(i)) is -inf, where x(3) is 0
//
// Returns nothing if all residuals are finite, or if none was found within some seconds. The
// binding must be valid for the energy.
std::optional<std::string> find_non_finite(const Energy& energy, const Binding& binding,
                                           Precision precision, const std::stop_token& stop);

// Describes the first residual with a non-finite derivative by an unknown that is not excluded:
//
//   fit at (i) = (3) has the derivative inf by x(3), because of sqrt(x(i)), where x(3) is 0
//
// Returns nothing if there is none, or if none was found within some seconds.
std::optional<std::string> find_non_finite_derivative(const Energy& energy, const Binding& binding,
                                                      Precision precision,
                                                      const std::stop_token& stop);

}  // namespace thallo
