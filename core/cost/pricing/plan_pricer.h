#pragma once

// Prices plans: predicts what they take on a device.
//
// The price of a plan is that of its program: the plan is lowered, and a cost model gives each step
// its seconds. Whoever shows what a plan takes asks for its price, so that all show the same one.
//
// A search over thousands of plans cannot lower them all. It asks for an estimate, a sum of each
// part's steps, of the steps that store intermediates and parallel Sums, and of the solver's own
// steps. An Estimator (estimator.h) says what these pieces are, and keeps them by what they depend
// on. An estimate ranks plans; it may be half as much again as the price, or hide what the price
// shows. So what estimates rank first is priced before it is chosen or shown.
//
//   PlanPricer pricer(energy, binding, {.program = options}, device);
//   const PricedPlan priced = pricer.price(plan);
//   for (std::size_t i = 0; i < priced.work.steps.size(); ++i)
//     show(priced.work.steps[i].label, priced.prediction.steps[i]);
//
// Units: seconds and bytes. Nothing here fails: a plan that does not fit into the device's memory
// has an infinite price. A plan must belong to the energy and pass check_program() (lower.h).
//
// Complexity: a price takes 1 to 90 ms for the 19 problems (10 in the median, at -O1), two thirds
// of it for generating kernels. The first estimate differentiates the energy (some ms). A further
// one takes time in proportion to its steps, 10 to 1000 us (100 in the median), of which most is
// spent on parts that were never seen: a plan that differs from an estimated one in a single part
// computes that part alone. `thallo bench auto` measures estimates.
//
// Thread safety: a pricer serves one thread at a time. Several pricers may serve one energy at the
// same time. A computation that a StepLimit or a stop request ends (core/base/stop_scope.h) leaves
// the pricer usable.

#include <cstdint>
#include <map>
#include <vector>

#include "core/cost/model/cost_model.h"
#include "core/cost/pricing/estimator.h"

namespace thallo {

// What a price assumes beside the plan.
struct PriceOptions {
  ProgramOptions program = {};
  IterationCounts counts = {};
  const CostModel* model = &default_cost_model();  // never null; must outlive the pricer
};

struct PricedPlan {
  ProgramWork work;       // steps of an estimate are labelled as those of the program
  Prediction prediction;  // of work.steps, in their order
};

// Prices a plan on its own: of the default plan, this is what a linear and a nonlinear iteration
// take with these options, whatever their linear solver and preconditioner. Of a direct solve, only
// the kernels and the memory are priced, not how long the host factors a sparse matrix.
PricedPlan price_plan(const Energy& energy, const Plan& plan, const Binding& binding,
                      const PriceOptions& options, const DeviceSpec& device);

class PlanPricer {
 public:
  // Prices plans of the energy for the extents and maps of the binding. Both must outlive the
  // pricer. The second form takes map_statistics(energy, binding) from a caller that has them; if
  // the binding has extents only, there are estimates and no prices.
  PlanPricer(const Energy& energy, const Binding& binding, const PriceOptions& options,
             DeviceSpec device);
  PlanPricer(const Energy& energy, const Binding& binding, std::map<MapId, MapStatistics> maps,
             const PriceOptions& options, DeviceSpec device);

  PricedPlan price(const Plan& plan) const;
  PricedPlan estimate(const Plan& plan);
  // Returns estimate(plan).prediction.nonlinear_iteration, in less time.
  double estimated_seconds(const Plan& plan);

  // The pieces of an estimate, for searches that vary one decision at a time.
  Estimator& estimator() { return estimator_; }
  // Returns the seconds that the steps add to a nonlinear iteration of a plan that stores nothing
  // but this many bytes of products. Infinite if these do not fit into memory.
  double share(const std::vector<StepWork>& steps, double product_bytes = 0);

  const Energy& energy() const { return energy_; }
  const DeviceSpec& device() const { return device_; }
  const PriceOptions& options() const { return options_; }

 private:
  const Energy& energy_;
  const Binding& binding_;
  PriceOptions options_;
  DeviceSpec device_;
  Estimator estimator_;
  ProgramWork nothing_stored_;  // without steps
};

}  // namespace thallo
