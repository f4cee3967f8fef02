#include "core/cli/reproduce/time_budget.h"

#include <algorithm>

#include "core/cli/interrupt.h"

namespace thallo::cli {

std::optional<double> TimeBudget::seconds_left() const {
  if (!seconds_) return {};
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return *seconds_ - spent.count();
}

bool TimeBudget::is_over() const {
  return seconds_left().value_or(1) <= 0 || interrupting_signal() != 0;
}

double TimeBudget::limit(double wanted) const {
  return seconds_ ? std::min(wanted, *seconds_ / 4) : wanted;
}

double TimeBudget::limit_now(double wanted) const {
  return std::min(limit(wanted), std::max(0.0, seconds_left().value_or(wanted)));
}

}  // namespace thallo::cli
