#pragma once

// Prices plans: predicts what they take on a device, without lowering them.
//
// The price of a plan is a sum: of each part's steps, of the steps that store intermediates and
// parallel Sums, and of the solver's own steps. Everything that searches, explains or shows
// predictions of plans asks a PlanPricer, so that all of them see one price. An Estimator
// (estimator.h) says what the pieces are, and keeps them by what they depend on; a cost model gives
// each step its seconds.
//
//   PlanPricer pricer(energy, binding, {.program = options}, device);
//   const PricedPlan priced = pricer.price(plan);
//   for (std::size_t i = 0; i < priced.work.steps.size(); ++i)
//     show(priced.work.steps[i].label, priced.prediction.steps[i]);
//
// Units: seconds and bytes. Nothing here fails: a plan that does not fit into the device's memory
// has an infinite price. A plan must belong to the energy and pass check_program() (lower.h).
//
// Complexity: the first plan differentiates the energy (some ms). A further plan takes time in
// proportion to its steps, 10 to 1000 us for the 15 problems (100 in the median, at -O1), of which
// most is spent on parts that were never seen: a plan that differs from a priced one in a single
// part computes that part alone. `thallo bench auto` measures both.
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
  ProgramWork work;       // estimated; steps are labelled as those of the program
  Prediction prediction;  // of work.steps, in their order
};

class PlanPricer {
 public:
  // Prices plans of the energy for the extents and maps of the binding. The energy must outlive the
  // pricer. The second form takes map_statistics(energy, binding) from a caller that has them.
  PlanPricer(const Energy& energy, const Binding& binding, const PriceOptions& options,
             DeviceSpec device);
  PlanPricer(const Energy& energy, const Binding& binding, std::map<MapId, MapStatistics> maps,
             const PriceOptions& options, DeviceSpec device);

  PricedPlan price(const Plan& plan);
  // Returns price(plan).prediction.nonlinear_iteration, in less time.
  double seconds(const Plan& plan);

  // The pieces of a price, for searches that vary one decision at a time.
  Estimator& estimator() { return estimator_; }
  // Returns the seconds that the steps add to a nonlinear iteration of a plan that stores nothing
  // but this many bytes of products. Infinite if these do not fit into memory.
  double share(const std::vector<StepWork>& steps, double product_bytes = 0);

  const DeviceSpec& device() const { return device_; }
  const PriceOptions& options() const { return options_; }

 private:
  PriceOptions options_;
  DeviceSpec device_;
  Estimator estimator_;
  ProgramWork nothing_stored_;  // without steps
};

}  // namespace thallo
