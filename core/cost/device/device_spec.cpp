#include "core/cost/device/device_spec.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo {

RateCurve::RateCurve(std::vector<Point> points) : points_(std::move(points)) {
  const auto fault = find_fault(points_);
  THALLO_ASSERT(!fault, "{}", *fault);
}

std::optional<std::string> RateCurve::find_fault(const std::vector<Point>& points) {
  if (points.empty()) return "it has no point";
  const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
  double last_size = 0;
  for (const Point& point : points) {
    if (!is_positive(point.size)) return fmt::format("size {} is not positive", point.size);
    if (!is_positive(point.rate)) return fmt::format("rate {} is not positive", point.rate);
    if (point.size <= last_size) {
      return fmt::format("size {} follows size {}; sizes must ascend", point.size, last_size);
    }
    last_size = point.size;
  }
  return std::nullopt;
}

double RateCurve::at(double size) const {
  THALLO_ASSERT(!points_.empty(), "a rate is asked of a curve without points");
  const auto above = std::ranges::find_if(points_, [&](const Point& p) { return p.size >= size; });
  if (above == points_.begin()) return above->rate;
  if (above == points_.end()) return points_.back().rate;
  const Point& below = *std::prev(above);
  const double part = std::log(size / below.size) / std::log(above->size / below.size);
  return below.rate * std::pow(above->rate / below.rate, part);
}

}  // namespace thallo
