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

}  // namespace thallo
