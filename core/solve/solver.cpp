#include "core/solve/solver.h"

#include <utility>

#include "core/solve/minimizer.h"

namespace thallo {

Expected<SolverSummary> solve(Executable& executable, const SolverOptions& options,
                              const IterationCallback& callback, std::stop_token stop) {
  THALLO_TRY(auto minimizer, Minimizer::begin(executable, options, callback, std::move(stop)));
  if (auto done = minimizer.run(); !done) return fail(done.error());
  return minimizer.finish();
}

}  // namespace thallo
