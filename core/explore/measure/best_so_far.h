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
// What best times are shown against: schedules measured, or seconds.
enum class CurveAxis { Schedules, Seconds };
// Returns the place of a point on the axis.
double place_of(const BestPoint& point, CurveAxis axis);
// Returns the best time at a place of the axis; absent if there was none yet.
std::optional<double> best_at(std::span<const BestPoint> curve, CurveAxis axis, double at);
// Returns the places at which tables have a row: 1, 2 and 5 times the powers of ten from `first`
// on, which is positive, up to `last`, and `last` itself.
std::vector<double> curve_stops(double first, double last);

}  // namespace thallo
