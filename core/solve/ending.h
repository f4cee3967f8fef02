// Classifies how a solve ended, and warns of what is suspicious about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/solve/summary.h"

namespace thallo {

// From the best to the worst.
enum class Ending {
  Converged,  // a tolerance was met, or there is no lower cost nearby
  Stopped,    // by a limit, of iterations or of time, or by the user
  Diverged,   // the cost is higher than at the start, by more than rounding explains
  Failed,     // no step was found, or it was not finite
};
std::string_view to_string(Ending ending);  // "converged", "stopped", "diverged", "failed"

Ending ending_of(const SolverSummary& summary);
// Returns the worst ending of several consecutive solves; Failed if there is none.
Ending ending_of(const std::vector<SolverSummary>& solves);

// Returns what is suspicious about a solve, each with what to try: a cost that rose, a limit that
// ended it before a requested tolerance and while steps still changed the cost, no accepted step,
// PCG at its limit in most steps.
std::vector<std::string> warnings_of(const SolverSummary& summary);

}  // namespace thallo
