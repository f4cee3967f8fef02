#include "core/solve/zero_cost.h"

#include <limits>

namespace thallo {
namespace {

constexpr double DoubleRounding = std::numeric_limits<double>::epsilon();
constexpr double FloatRounding = std::numeric_limits<float>::epsilon();
// How many roundings of what they were at the start still make zero of residuals.
constexpr double NumRoundings = 4;
// A start with a larger cost says nothing about zero: of 1e50, which exp(60) makes, double leaves
// more than a cost at which fits end.
constexpr double LargestStart = 1e24;

double squared(double value) { return value * value; }

}  // namespace

ZeroCost::ZeroCost(const Executable& executable)
    : rounding_(executable.buffer_type(executable.program().vector(SolverVector::B)) ==
                        ScalarType::Double
                    ? DoubleRounding
                    : FloatRounding) {}

// Of the residuals at the start only what double leaves of them counts, in float too: a start far
// off is no reason to end before a fit with small residuals is found.
bool ZeroCost::is_reached_by(double cost, double first_cost, const SolverState& state) const {
  return cost <=
         0.5 * squared(rounding_) * at(state, StateSlot::ScaledXNorm2) +
             squared(NumRoundings * DoubleRounding) * (first_cost <= LargestStart ? first_cost : 0);
}

}  // namespace thallo
