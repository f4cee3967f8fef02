// Statistics of measured times, and of how well one list of numbers predicts another. Times span
// orders of magnitude, so densities and most histograms use a logarithmic axis.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace thallo {

// Returns the f-quantile, 0 <= f <= 1: the value at position f (n - 1) of the sorted values,
// counted from 0, interpolated linearly between neighbors. `values` must not be empty or contain
// NaN.
double quantile(std::span<const double> values, double fraction);
// If the number of values is even, returns the mean of the two in the middle.
double median(std::span<const double> values);
// Half the difference of the quartiles: half of the values are about that close to the median.
double half_interquartile_range(std::span<const double> values);

struct Histogram {
  std::vector<double> edges;        // ascending, one more than counts
  std::vector<std::size_t> counts;  // of edges[i] <= x < edges[i + 1]; the last edge is included
};
// Returns how many bins a histogram of so many values has.
std::size_t num_bins_of(std::size_t num_values);
// Bins from the least to the largest value, equally wide in log x; a single bin if all values are
// equal. The values must be positive and finite, and num_bins >= 1. The result is empty if there
// are no values.
Histogram log_histogram(std::span<const double> values, std::size_t num_bins);
// Like log_histogram(), but with bins equally wide in x.
Histogram linear_histogram(std::span<const double> values, std::size_t num_bins);

struct Density {
  std::vector<double> at;       // ascending, equally far apart in log x
  std::vector<double> density;  // per ln x: its integral over ln x is one
};
// Kernel density estimate over ln x with normal kernels. The bandwidth follows Silverman's rule:
// 0.9 n^(-1/5) times the lesser of the standard deviation and interquartile range / 1.34, or the
// standard deviation if the interquartile range is zero. The grid extends three bandwidths beyond
// the values, which must be positive and finite; num_at >= 2. The result is empty if all values are
// equal. More than 8192 values are first binned on a fine grid.
Density log_density(std::span<const double> values, std::size_t num_at);

// Spearman's rho: the correlation of ranks, between -1 and 1; equal values share the mean of their
// ranks. Absent if all values of x, or all of y, are equal. Both must have the same size and
// contain no NaN; infinities are allowed.
std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y);

}  // namespace thallo
