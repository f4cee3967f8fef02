#include "core/backend/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <variant>
#include <vector>

#include <fmt/chrono.h>

#include "core/base/overloaded.h"
#include "core/cost/device/spec_fields.h"

namespace thallo {
namespace {

// A batch is long compared with reading the clock and short compared with a time slice, so that
// even on a busy machine some batches run without interruption.
constexpr double BatchSeconds = 0.3e-3;
constexpr double EnoughSeconds = 10e-3;

double rounded_to_four_digits(double value) {
  if (value == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace

double seconds_of(const std::function<void()>& run) {
  const auto time = [&](int count) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  run();
  int count = 1;
  // Takes the shorter of two batches, because an interrupted batch would look long enough.
  double best = std::min(time(count), time(count));
  while (best < BatchSeconds) {
    count *= 2;
    best = std::min(time(count), time(count));
  }
  for (double total = 2 * best; total < EnoughSeconds;) {
    const double seconds = time(count);
    best = std::min(best, seconds);
    total += seconds;
  }
  return best / count;
}

DeviceSpec as_measured(DeviceSpec spec) {
  spec.source = fmt::format("measured {:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  for (const SpecField& field : spec_fields()) {
    if (!field.unit.ends_with('s')) continue;  // a count or a size, not a time
    std::visit(Overloaded{[](std::string DeviceSpec::*) {},
                          [&](double DeviceSpec::*number) {
                            spec.*number = rounded_to_four_digits(spec.*number);
                          },
                          [&](RateCurve DeviceSpec::*curve) {
                            std::vector<RateCurve::Point> points = (spec.*curve).points();
                            for (auto& point : points)
                              point.rate = rounded_to_four_digits(point.rate);
                            spec.*curve = RateCurve(std::move(points));
                          }},
               field.member);
  }
  return spec;
}

}  // namespace thallo
