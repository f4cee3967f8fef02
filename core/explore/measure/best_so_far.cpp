#include "core/explore/measure/best_so_far.h"

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

std::vector<std::size_t> curve_stops(std::size_t most) {
  std::vector<std::size_t> stops;
  for (std::size_t decade = 1; decade <= most; decade *= 10)
    for (const std::size_t factor : {1, 2, 5})
      if (decade * factor < most) stops.push_back(decade * factor);
  if (most > 0) stops.push_back(most);
  return stops;
}

}  // namespace thallo
