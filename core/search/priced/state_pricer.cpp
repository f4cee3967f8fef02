#include "core/search/priced/state_pricer.h"

#include <algorithm>
#include <utility>

#include "core/schedule/energy_facts.h"

namespace thallo {
namespace {

// Prices that are kept; some 60 MB. A search that finds more begins to keep anew.
constexpr std::size_t MostPrices = 1'000'000;
// A node of the map, and its place in the table.
constexpr double BytesOfPrice = sizeof(std::pair<Hash128, double>) + 4 * sizeof(void*);

}  // namespace

StatePricer::StatePricer(const Energy& energy, PricerMaker make_pricer, bool memoizes)
    : energy_(energy),
      make_pricer_(std::move(make_pricer)),
      memoizes_(memoizes),
      pricer_(make_pricer_()) {}

double StatePricer::seconds(const Plan& plan, Hash128 schedule) {
  if (!check_program(energy_, plan, pricer_->options().program))
    return std::numeric_limits<double>::infinity();
  if (!memoizes_) {
    pricer_ = make_pricer_();
    ++num_priced_;
    return pricer_->estimated_seconds(plan);
  }
  if (const auto found = kept_.find(schedule); found != kept_.end()) return found->second;
  if (kept_.size() >= MostPrices) kept_.clear();
  ++num_priced_;
  const double seconds = pricer_->estimated_seconds(plan);
  kept_.emplace(schedule, seconds);
  return seconds;
}

double StatePricer::share(const Plan& plan, const Part& part) {
  const auto work = pricer_->estimator().part(part, stored_values(plan), vector_storage(plan));
  return pricer_->share(work->steps, work->product_bytes);
}

double StatePricer::recomputation(const Plan& plan) {
  if (plan.intermediates.empty()) return 1;
  Plan stored = plan;
  for (std::size_t i = 0; i < stored.intermediates.size(); ++i)
    stored.intermediates[i] = {true, check_gradient(energy_, i).has_value()};
  return operations(plan) / std::max(1.0, operations(stored));
}

double StatePricer::operations(const Plan& plan) {
  double sum = 0;
  for (const StepWork* step : pricer_->estimator().pieces(plan).steps)
    sum += step->features.flops.total() * pricer_->options().counts.runs_of(step->phase);
  return sum;
}

double StatePricer::kept_bytes() const { return static_cast<double>(kept_.size()) * BytesOfPrice; }

}  // namespace thallo
