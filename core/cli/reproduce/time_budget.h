// The time that a reproduction may take, and what a run of it may take that has no end of its own.
#pragma once

#include <chrono>
#include <optional>

namespace thallo::cli {

class TimeBudget {
 public:
  // Begins now. Without seconds there is no end.
  explicit TimeBudget(std::optional<double> seconds) : seconds_(seconds) {}

  // True if nothing may be begun any more: the time is used up, or a signal told us to end.
  bool is_over() const;
  std::optional<double> seconds_left() const;  // absent if there is no end

  // How many seconds a run may take before what it has done counts as a lower bound: `wanted`, but
  // no more than a quarter of the budget, so that there is time for others.
  double limit(double wanted) const;
  // The same, but no more than what is left.
  double limit_now(double wanted) const;

 private:
  std::optional<double> seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace thallo::cli
