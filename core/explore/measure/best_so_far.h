#pragma once

// How soon an exploration finds fast schedules: the least time that is known after so many
// schedules.

#include <cstddef>
#include <optional>
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
// Returns the best time once so many schedules were measured; absent if there was none yet.
std::optional<double> best_after_schedules(std::span<const BestPoint> curve, std::size_t measured);
// Returns the best time so many seconds after the exploration began; absent if there was none yet.
std::optional<double> best_after_seconds(std::span<const BestPoint> curve, double seconds);

// Returns 1, 2, 5, 10, 20, 50 ... up to `most`, and `most` itself.
std::vector<std::size_t> curve_stops(std::size_t most);
// Returns 1, 2 and 5 times the powers of ten from `first` on up to `last`, and `last` itself. Four
// decades before `last` are the first ones, however small `first` is.
std::vector<double> time_stops(double first, double last);

}  // namespace thallo
