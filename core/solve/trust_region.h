// The radius of Levenberg-Marquardt: a step is damped with 1 / radius. After an accepted step the
// radius follows the fraction of the promised decrease that was reached; each further rejection in
// a row divides it by twice as much as the one before.
#pragma once

#include "core/solve/iteration_options.h"
#include "core/solve/trial_step.h"

namespace thallo {

// With a larger radius, damping only keeps singular matrices regular; with a smaller one it may
// hold steps along what residuals with large weights hold.
inline constexpr double FreeRadius = 1e10;

class TrustRegion {
 public:
  explicit TrustRegion(const IterationOptions& options);

  double radius() const { return radius_; }
  // True if the radius has fallen below min_trust_region_radius.
  bool has_vanished() const { return radius_ < min_radius_; }

  // Must be called after an accepted step. One that is to confirm that the cost has settled gets
  // four growths of an exact model at once.
  void enlarge(const TrialStep& step, bool is_confirming);
  void shrink();
  // Does so if the damped matrix is singular: then no radius nearly as large is tried again, but
  // for those that damping may hold steps with.
  void shrink_for_good();
  // Forgets the rejections in a row, but keeps the radius.
  void forget_rejections() { decrease_factor_ = first_decrease_factor_; }

 private:
  double radius_, min_radius_, max_radius_;
  double max_growth_;
  // The radius without the growth of an exact model, until a step with that growth was tried; else
  // 0.
  double fallback_ = 0;
  double first_decrease_factor_;
  double decrease_factor_;  // of the next rejection
};

}  // namespace thallo
