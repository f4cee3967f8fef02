#include "core/solve/trust_region.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thallo {
namespace {

constexpr double GrowthOfGoodSteps = 3;
// Points differ in which radius makes their matrix singular.
constexpr double LessThanSingular = 1.0 / 16;

}  // namespace

TrustRegion::TrustRegion(const IterationOptions& options)
    : radius_(options.trust_region_radius),
      min_radius_(options.min_trust_region_radius),
      max_radius_(options.max_trust_region_radius),
      max_growth_(options.max_radius_growth),
      first_decrease_factor_(options.radius_decrease_factor),
      decrease_factor_(options.radius_decrease_factor) {}

void TrustRegion::enlarge(const TrialStep& step, bool is_confirming) {
  const double trust = 1 - std::pow(2 * step.relative_decrease - 1, 3);
  const double grown = std::min(max_radius_, radius_ / std::max(1 / GrowthOfGoodSteps, trust));
  const bool jumps = is_confirming && max_growth_ > GrowthOfGoodSteps;
  const double growth = jumps ? std::pow(max_growth_, 4) : max_growth_;
  radius_ = step.is_exact() ? std::min(max_radius_, growth * radius_) : grown;
  fallback_ = radius_ > grown ? grown : 0;
  forget_rejections();
}

void TrustRegion::shrink() {
  if (fallback_ > 0) {
    radius_ = std::exchange(fallback_, 0);
    return;
  }
  radius_ /= decrease_factor_;
  decrease_factor_ *= 2;
}

void TrustRegion::shrink_for_good() {
  if (radius_ <= FreeRadius) return shrink();
  max_radius_ = radius_ = std::max(FreeRadius, LessThanSingular * radius_);
  fallback_ = 0;
}

}  // namespace thallo
