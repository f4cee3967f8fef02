// Gauss-Newton and Levenberg-Marquardt. The loops are the published pseudo-code; all arithmetic on
// vectors happens behind the Executable, and the host reads the solver state once an iteration,
// after the cost of the trial point.
//
//   Gauss-Newton           solve JtJ delta = -JtF by exactly lIterations PCG steps (or densely),
//                          X += delta, nIterations times.
//   Levenberg-Marquardt    solve (JtJ + D) delta = -JtF, D = clamp(d, s lo, s hi) / radius with
//                          d = diag JtJ and s = (1 + sqrt d0)^2 of the first linearization; accept
//                          when the cost falls by a fraction of what the model promised, and let
//                          the radius follow that fraction. A rejected step costs no new
//                          linearization.
//
// Every solve starts from the radius of its options, whatever an earlier one ended with.
#pragma once

#include <functional>
#include <stop_token>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/solve/options.h"
#include "core/solve/summary.h"

namespace thallo {

using IterationCallback = std::function<void(const IterationRecord&)>;

// `executable` is bound, and compiled for the options' solver, linear solver and preconditioner
// (core/problem/driver.h does both). The result stays in its unknowns; download_unknowns() fetches
// it. Fails on invalid options and on a start with a cost that is not finite. Device faults are
// thrown (DeviceError).
Expected<SolverSummary> solve(Executable& executable, const SolverOptions& options,
                              const IterationCallback& callback = {}, std::stop_token stop = {});

}  // namespace thallo
