#include "core/explore/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/error.h"

namespace thallo {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

double quantile_of_sorted(const std::vector<double>& values, double fraction) {
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double part = position - static_cast<double>(below);
  // Avoids interpolating with infinity where it is not necessary.
  if (part == 0 || values[below] == values[above]) return values[below];
  return std::lerp(values[below], values[above], part);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Returns the sum of (x - mean x) (y - mean y).
double covariation(const std::vector<double>& x, const std::vector<double>& y) {
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mean_x) * (y[i] - mean_y);
  return sum;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) {
    THALLO_ASSERT(value > 0 && std::isfinite(value), "{} has no logarithm", value);
    result.push_back(std::log(value));
  }
  std::ranges::sort(result);
  return result;
}

double silverman_width(const std::vector<double>& sorted_values) {
  const auto n = static_cast<double>(sorted_values.size());
  const double deviation = std::sqrt(covariation(sorted_values, sorted_values) / (n - 1));
  const double range =
      quantile_of_sorted(sorted_values, 0.75) - quantile_of_sorted(sorted_values, 0.25);
  const double spread = range > 0 ? std::min(deviation, range / 1.34) : deviation;
  return 0.9 * spread * std::pow(n, -0.2);
}

// Returns ranks from 1 on; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i)
      result[order[i]] = 0.5 * static_cast<double>(first + 1 + end);
    first = end;
  }
  return result;
}

struct Weighted {
  double value = 0, weight = 1;
};

// Returns the sorted values. If there are many, they are binned on a fine grid: each value is
// shared by its two neighboring grid points in proportion to their closeness.
std::vector<Weighted> gathered(const std::vector<double>& values) {
  constexpr std::size_t NumPoints = 4096;
  std::vector<Weighted> points;
  if (values.size() <= 2 * NumPoints) {
    for (const double value : values) points.push_back({value, 1});
    return points;
  }
  const double step = (values.back() - values.front()) / (NumPoints - 1);
  for (std::size_t i = 0; i < NumPoints; ++i)
    points.push_back({values.front() + step * static_cast<double>(i), 0});
  for (const double value : values) {
    const double place = (value - values.front()) / step;
    const auto below = std::min(static_cast<std::size_t>(place), NumPoints - 2);
    const double share = place - static_cast<double>(below);
    points[below].weight += 1 - share;
    points[below + 1].weight += share;
  }
  return points;
}

// `edge` computes where an edge lies from the least value, the largest value, and the fraction of
// the way between them.
template <class Edge>
Histogram histogram(std::span<const double> values, std::size_t num_bins, const Edge& edge) {
  THALLO_ASSERT_LE(1u, num_bins);
  if (values.empty()) return {};
  const auto [least, largest] = std::ranges::minmax(values);
  if (least == largest) return {{least, largest}, {values.size()}};
  Histogram result;
  result.counts.resize(num_bins);
  for (std::size_t i = 0; i <= num_bins; ++i) {
    result.edges.push_back(
        edge(least, largest, static_cast<double>(i) / static_cast<double>(num_bins)));
  }
  // Use the exact values at both ends, without rounding.
  result.edges.front() = least;
  result.edges.back() = largest;
  for (const double value : values) {
    const auto above = std::ranges::upper_bound(result.edges, value) - result.edges.begin();
    ++result.counts[std::min(static_cast<std::size_t>(above), num_bins) - 1];
  }
  return result;
}

}  // namespace

double quantile(std::span<const double> values, double fraction) {
  THALLO_ASSERT(!values.empty(), "no values have no quantile");
  THALLO_ASSERT(fraction >= 0 && fraction <= 1, "{} is no fraction", fraction);
  return quantile_of_sorted(sorted(values), fraction);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double half_interquartile_range(std::span<const double> values) {
  return 0.5 * (quantile(values, 0.75) - quantile(values, 0.25));
}

std::size_t num_bins_of(std::size_t num_values) {
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(num_values)));
  return std::clamp<std::size_t>(2 * root, 8, 60);
}

Histogram log_histogram(std::span<const double> values, std::size_t num_bins) {
  return histogram(values, num_bins, [](double least, double largest, double fraction) {
    return std::exp(std::lerp(std::log(least), std::log(largest), fraction));
  });
}

Histogram linear_histogram(std::span<const double> values, std::size_t num_bins) {
  return histogram(values, num_bins, [](double least, double largest, double fraction) {
    return std::lerp(least, largest, fraction);
  });
}

Density log_density(std::span<const double> values, std::size_t num_at) {
  THALLO_ASSERT_LE(2u, num_at);
  if (values.empty()) return {};
  const std::vector<double> logs = logarithms(values);
  if (logs.front() == logs.back()) return {};
  const double width = silverman_width(logs);
  const double scale =
      1 / (width * std::sqrt(2 * std::numbers::pi) * static_cast<double>(logs.size()));
  const std::vector<Weighted> points = gathered(logs);
  Density result;
  for (std::size_t i = 0; i < num_at; ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(num_at - 1);
    const double at = std::lerp(logs.front() - 3 * width, logs.back() + 3 * width, fraction);
    double sum = 0;
    for (const auto& [log, weight] : points) {
      const double distance = (at - log) / width;
      sum += weight * std::exp(-0.5 * distance * distance);
    }
    result.at.push_back(std::exp(at));
    result.density.push_back(scale * sum);
  }
  return result;
}

std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y) {
  THALLO_ASSERT_EQ(x.size(), y.size());
  if (x.empty()) return std::nullopt;
  const std::vector<double> ranks_x = ranks(x);
  const std::vector<double> ranks_y = ranks(y);
  const double spread = std::sqrt(covariation(ranks_x, ranks_x) * covariation(ranks_y, ranks_y));
  if (spread == 0) return std::nullopt;
  return covariation(ranks_x, ranks_y) / spread;
}

}  // namespace thallo
