// The loop of the nonlinear solve, one iteration a call. solve() (solver.h) runs it to its end; a
// program that does something between iterations runs it itself:
//
//   auto minimizer = Minimizer::begin(executable, options);
//   if (!minimizer) ...
//   for (auto more = minimizer->step(); more && *more; more = minimizer->step()) {
//     ... change values in the binding ...
//     minimizer->upload(binding, changed_fields);
//   }
//   const SolverSummary summary = minimizer->finish();
//
// Between steps the data may change: params, arrays and unknowns by upload(), also sparse maps and
// extents by rebind(). The next step then starts as begin() does, from the current unknowns:
//
//   - Masks, stored values, cost and linearization are computed anew, and so is the scale s of the
//     damping (solver.h), since it was taken from a linearization of the energy before.
//   - The accept test and function_tolerance compare the step with the cost of the new energy.
//   - The radius of Levenberg-Marquardt stays: the damping is proportional to diag JtJ, so that an
//     energy of another magnitude is damped alike. Rejections in a row are counted from 0.
//   - What earlier iterations found out about the energy is forgotten: that its cost has settled,
//     to be confirmed by the next step, and that rounding hides a decrease.
//   - nIterations and max_solver_time_in_seconds count on. Time between the calls does not count.
//
// A test that ends the solve holds for the data of that iteration; a later change does not revive
// the solve. So a solve whose weights are ramped over k steps needs a function_tolerance that does
// not end it before, such as 0.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/solve/options.h"
#include "core/solve/solver.h"
#include "core/solve/summary.h"

namespace thallo {

class Minimizer {
 public:
  // Computes the cost at the current unknowns of `executable`, which must outlive the minimizer and
  // be as solve() wants it. Makes the record of iteration 0. Fails if options are invalid or the
  // cost is not finite.
  static Expected<Minimizer> begin(Executable& executable, const SolverOptions& options,
                                   IterationCallback callback = {}, std::stop_token stop = {},
                                   IterationWatcher watcher = {});
  Minimizer(Minimizer&&) noexcept;
  Minimizer& operator=(Minimizer&&) noexcept;
  ~Minimizer();

  // Makes one nonlinear iteration, which is one record: an accepted step or a rejected one. Returns
  // true if the solve goes on. Returns false once it has ended, also if it ends before a step was
  // found; that makes no record. After the end it does nothing. Fails if the data have changed and
  // the cost is not finite with them; the unknowns are unchanged then, and other data can follow.
  Expected<bool> step();
  // Makes steps until the solve has ended.
  Expected<void> run();

  // Copy values of the binding to the executable: those of some fields, with the extents as they
  // are, or everything. Fail as Executable::upload() and bind() do; the solve cannot go on then.
  Expected<void> upload(const Binding& binding, std::span<const FieldId> fields);
  Expected<void> rebind(const Binding& binding);

  // Returns the cost at the current unknowns with the current data. Fails if it is not finite.
  Expected<double> cost();
  // Returns the summary of all iterations. A solve that has not ended counts as Cancelled. Nothing
  // but the destructor may be called afterwards.
  SolverSummary finish();

 private:
  class Loop;
  explicit Minimizer(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace thallo
