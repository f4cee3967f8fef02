// Gauss-Newton and Levenberg-Marquardt. The loops are the published pseudo-code; all arithmetic on
// vectors happens behind the Executable. The host reads the solver state once per iteration, after
// the cost of the trial point, and has what an accepted step changes done with the next iteration.
//
//   Gauss-Newton           solve JtJ delta = -JtF by lIterations PCG steps (fewer once r.z is
//                          practically 0 or residual_tolerance is reached) or directly, then
//                          X += delta; nIterations times, unless a stopping test ends it.
//   Levenberg-Marquardt    solve (JtJ + D) delta = -JtF with D = clamp(d, lo min(s, t), hi s) / R,
//                          R the radius, d = diag JtJ, t = (1 + sqrt d)^2, s = (l + sqrt d)^2 of
//                          the first linearization, l = min(1, |F|); accept when the cost falls by
//                          more than min_relative_decrease of what the model promised, and let the
//                          radius follow that fraction. A rejected step costs no new linearization.
//
// Every solve starts from the radius in its options, whatever radius an earlier solve ended with.
// The loop itself is Minimizer (minimizer.h), which can also be run one iteration at a time.
#pragma once

#include <functional>
#include <stop_token>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/solve/options.h"
#include "core/solve/summary.h"

namespace thallo {

enum class AfterIteration { GoOn, Stop };
// Called with every record, that of the start included; the unknowns of the executable are those of
// the record. After Stop the solve ends as Cancelled, unless this very iteration has ended it.
using IterationCallback = std::function<AfterIteration(const IterationRecord&)>;
// Called with every record before the callback. It costs less, for it must not look at the
// unknowns: what the step changes may still have to be done.
using IterationWatcher = std::function<void(const IterationRecord&)>;

// Minimizes, starting from the current unknowns of `executable`. It must be bound, and compiled for
// the options' solver, linear solver and preconditioner (core/problem/driver.h does both). The
// result stays in the executable's unknowns; download_unknowns() fetches it. Fails if options are
// invalid or the cost at the start is not finite. Throws DeviceError for device faults.
Expected<SolverSummary> solve(Executable& executable, const SolverOptions& options,
                              const IterationCallback& callback = {}, std::stop_token stop = {});

}  // namespace thallo
