#include "core/explore/measure/best_so_far.h"

#include <algorithm>
#include <cmath>

namespace thallo {

std::vector<BestPoint> best_so_far(std::span<const TimedEvent> events) {
  std::vector<BestPoint> curve;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (curve.empty() || events[i].seconds < curve.back().best)
      curve.push_back({i + 1, events[i].at, events[i].seconds});
  }
  return curve;
}

std::optional<double> best_after_schedules(std::span<const BestPoint> curve, std::size_t measured) {
  std::optional<double> best;
  for (const BestPoint& point : curve)
    if (point.measured <= measured) best = point.best;
  return best;
}

std::optional<double> best_after_seconds(std::span<const BestPoint> curve, double seconds) {
  std::optional<double> best;
  for (const BestPoint& point : curve)
    if (point.at <= seconds) best = point.best;
  return best;
}

std::vector<std::size_t> curve_stops(std::size_t most) {
  std::vector<std::size_t> stops;
  for (std::size_t decade = 1; decade <= most; decade *= 10)
    for (const std::size_t factor : {1, 2, 5})
      if (decade * factor < most) stops.push_back(decade * factor);
  if (most > 0) stops.push_back(most);
  return stops;
}

std::vector<double> time_stops(double first, double last) {
  std::vector<double> stops;
  if (!(last > 0)) return stops;
  const double least = std::max(first, 1e-4 * last);
  for (int power = static_cast<int>(std::floor(std::log10(least))); std::pow(10, power) < last;
       ++power) {
    for (const int factor : {1, 2, 5}) {
      // A quotient is the double that is nearest to 0.2; a product is not.
      const double stop = power < 0 ? factor / std::pow(10, -power) : factor * std::pow(10, power);
      if (stop >= least && stop < last) stops.push_back(stop);
    }
  }
  stops.push_back(last);
  return stops;
}

}  // namespace thallo
