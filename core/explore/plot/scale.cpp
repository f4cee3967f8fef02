#include "core/explore/plot/scale.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace thallo::plot {
namespace {

// Returns the smallest of 1, 2 or 5 times a power of ten that is not less than `step`.
double nice_step(double step) {
  const double decade = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= step * (1 - 1e-9)) return factor * decade;
  return 10 * decade;
}

std::string superscript(int exponent) {
  static constexpr std::array Digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = exponent < 0 ? "⁻" : "";
  for (const char digit : fmt::format("{}", std::abs(exponent)))
    result += Digits[static_cast<std::size_t>(digit - '0')];
  return result;
}

}  // namespace

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e5)) return fmt::format("{:.6g}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double factor = value / std::pow(10, exponent);
  if (std::abs(factor - 1) < 1e-9) return "10" + superscript(exponent);
  return fmt::format("{:.4g}·10{}", factor, superscript(exponent));
}

TimeUnit time_unit(double seconds) {
  if (seconds >= 1) return {"s", 1};
  if (seconds >= 1e-3) return {"ms", 1e-3};
  if (seconds >= 1e-6) return {"µs", 1e-6};
  return {"ns", 1e-9};
}

Scale Scale::linear(double least, double largest) {
  const double size = std::max(std::abs(least), std::abs(largest));
  // A smaller range would vanish in the digits of a label.
  if (largest - least <= 1e-6 * size || size == 0) {
    const double room = size > 0 ? 0.1 * size : 1;
    return {least - room, largest + room, false};
  }
  return {least, largest, false};
}

Scale Scale::logarithmic(double least, double largest) {
  const double room = std::max(1.03, std::pow(largest / least, 0.04));
  return {least / room, largest * room, true};
}

double Scale::fraction(double value) const {
  if (!is_logarithmic_) return (value - first_) / (last_ - first_);
  return std::log(value / first_) / std::log(last_ / first_);
}

std::vector<Tick> Scale::ticks(std::size_t num_labels) const {
  if (!is_logarithmic_) return linear_ticks(num_labels);
  std::vector<Tick> ticks = decade_ticks(num_labels);
  const auto labels =
      std::ranges::count_if(ticks, [](const Tick& tick) { return !tick.label.empty(); });
  return labels >= 3 || last_ >= 10 * first_ ? ticks : linear_ticks(num_labels);
}

std::vector<Tick> Scale::linear_ticks(std::size_t num_labels) const {
  const double step =
      nice_step((last_ - first_) / static_cast<double>(std::max<std::size_t>(num_labels, 3)));
  std::vector<Tick> ticks;
  const double from = std::ceil(first_ / step - 1e-9);
  const double to = std::floor(last_ / step + 1e-9);
  for (double k = from; k <= to; ++k) {
    const double value = k * step + 0.0;  // avoids -0
    ticks.push_back({value, tick_label(value)});
  }
  return ticks;
}

std::vector<Tick> Scale::decade_ticks(std::size_t num_labels) const {
  const int from = static_cast<int>(std::floor(std::log10(first_)));
  const int to = static_cast<int>(std::floor(std::log10(last_)));
  const auto in_range = [&](double value) {
    return value >= first_ * (1 - 1e-9) && value <= last_ * (1 + 1e-9);
  };
  // Chooses which ticks have labels: 1, 2 and 5 of each decade; or 1 and 3; or 1; or 1 of every
  // second decade; and so on.
  int period = -1;
  const auto has_label = [&](int decade, int factor) {
    if (period == -1) return factor == 1 || factor == 2 || factor == 5;
    if (period == 0) return factor == 1 || factor == 3;
    return factor == 1 && decade % period == 0;
  };
  const auto count = [&] {
    std::size_t labels = 0;
    for (int decade = from; decade <= to; ++decade)
      for (int factor = 1; factor < 10; ++factor)
        labels += has_label(decade, factor) && in_range(factor * std::pow(10, decade)) ? 1u : 0u;
    return labels;
  };
  while (count() > std::max<std::size_t>(num_labels, 3)) ++period;
  std::vector<Tick> ticks;
  for (int decade = from; decade <= to; ++decade) {
    for (int factor = 1; factor < 10; ++factor) {
      const double value = factor * std::pow(10, decade);
      if (!in_range(value)) continue;
      ticks.push_back({value, has_label(decade, factor) ? tick_label(value) : ""});
    }
  }
  // If there is no room to label every decade, there is none for ticks between decades.
  if (period > 1) std::erase_if(ticks, [](const Tick& tick) { return tick.label.empty(); });
  return ticks;
}

}  // namespace thallo::plot
