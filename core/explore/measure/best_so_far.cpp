#include "core/explore/measure/best_so_far.h"

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

double place_of(const BestPoint& point, CurveAxis axis) {
  return axis == CurveAxis::Schedules ? static_cast<double>(point.measured) : point.at;
}

std::optional<double> best_at(std::span<const BestPoint> curve, CurveAxis axis, double at) {
  std::optional<double> best;
  for (const BestPoint& point : curve)
    if (place_of(point, axis) <= at) best = point.best;
  return best;
}

std::vector<double> curve_stops(double first, double last) {
  std::vector<double> stops;
  if (!(last > 0)) return stops;
  for (int power = static_cast<int>(std::floor(std::log10(first))); std::pow(10, power) < last;
       ++power) {
    for (const int factor : {1, 2, 5}) {
      // A quotient is the double that is nearest to 0.2; a product is not.
      const double stop = power < 0 ? factor / std::pow(10, -power) : factor * std::pow(10, power);
      if (stop >= first && stop < last) stops.push_back(stop);
    }
  }
  stops.push_back(last);
  return stops;
}

}  // namespace thallo
