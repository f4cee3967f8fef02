#pragma once

// How soon an exploration finds fast schedules: the least time that is known after so many
// schedules.

#include <cstddef>
#include <span>
#include <vector>

namespace thallo {

// A schedule that got a time.
struct TimedEvent {
  double at = 0;       // seconds since the exploration began
  double seconds = 0;  // of a nonlinear iteration
};

// The curve of best times; it steps down at each of these points.
struct BestPoint {
  std::size_t measured = 0;  // schedules so far, this one included
  double at = 0;             // seconds since the exploration began
  double best = 0;           // seconds of a nonlinear iteration
};

// Returns the points at which the best time improves. The events are in their order.
std::vector<BestPoint> best_so_far(std::span<const TimedEvent> events);

}  // namespace thallo
