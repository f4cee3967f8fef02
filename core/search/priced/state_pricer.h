// Prices the states of a search: predicted seconds of their plans, of which each is predicted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/search/search.h"

namespace thallo {

class StatePricer {
 public:
  // Without `memoizes`, every price is predicted from nothing, by a pricer of its own. The energy
  // must outlive this object.
  StatePricer(const Energy& energy, PricerMaker make_pricer, bool memoizes);

  // Returns the predicted seconds of a nonlinear iteration; infinite if the program does not fit
  // into the device's memory or cannot be made. `schedule` identifies the plan.
  double seconds(const Plan& plan, Hash128 schedule);
  // Returns the seconds that a part adds to a nonlinear iteration.
  double share(const Plan& plan, const Part& part);
  // Returns how often the plan does an operation for each time that it would if all intermediates
  // were stored; 1 if there are none.
  double recomputation(const Plan& plan);

  PlanPricer& pricer() { return *pricer_; }
  std::int64_t num_priced() const { return num_priced_; }  // without those that were known
  std::size_t num_kept() const { return kept_.size(); }
  // Returns about how many bytes the kept prices take.
  double kept_bytes() const;

 private:
  double operations(const Plan& plan);

  const Energy& energy_;
  PricerMaker make_pricer_;
  bool memoizes_;
  std::unique_ptr<PlanPricer> pricer_;
  std::unordered_map<Hash128, double> kept_;
  std::int64_t num_priced_ = 0;
};

}  // namespace thallo
