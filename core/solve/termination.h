// Why a solve ended.
#pragma once

#include <string_view>

namespace thallo {

// X(Name, text, is_convergence)
#define THALLO_FOR_EACH_TERMINATION(X)                                                           \
  X(MaxIterations, "the number of iterations (nIterations) is used up", false)                   \
  X(FunctionTolerance, "the relative decrease of the cost is below function_tolerance", true)    \
  X(GradientTolerance, "the gradient, relative to J and residuals, is below gradient_tolerance", \
    true)                                                                                        \
  X(ZeroGradient, "the gradient is exactly zero", true)                                          \
  X(ZeroCost, "the cost is zero, as far as rounding lets anyone tell", true)                     \
  X(ParameterTolerance, "the relative size of the step is below parameter_tolerance", true)      \
  X(MinTrustRegionRadius, "the trust region radius fell below min_trust_region_radius", true)    \
  X(RoundingFloor, "rounding changes the cost by more than any step promises to lower it", true) \
  X(NoDecrease, "the step lowers the cost nowhere, halved max_step_halvings times", true)        \
  X(NonFiniteStep, "the step or the cost after it is not finite; the last finite point is kept", \
    false)                                                                                       \
  X(LinearSolveFailed, "no step was found: JtJ is singular or not finite", false)                \
  X(HalfOverflow, "a product stored in halves is beyond what a half holds", false)               \
  X(TimeLimit, "max_solver_time_in_seconds is used up", false)                                   \
  X(Cancelled, "it was cancelled", false)                                                        \
  X(DeviceFailed, "the device or a library failed", false)                                       \
  X(NonFiniteStart, "a residual is not finite at the start", false)

enum class Termination {
#define THALLO_TERMINATION_ENUMERATOR(name, text, converged) name,
  THALLO_FOR_EACH_TERMINATION(THALLO_TERMINATION_ENUMERATOR)
#undef THALLO_TERMINATION_ENUMERATOR
};
std::string_view to_string(Termination termination);  // "FunctionTolerance"
std::string_view describe(Termination termination);   // the sentence above
bool is_convergence(Termination termination);

}  // namespace thallo
