// Statistics of measured times, and of how well one list of numbers predicts another. Times spread
// over orders of magnitude, so their density is over a logarithmic axis, and mostly
// their histogram.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace thallo {

// The value that the fraction 0 <= f <= 1 of the sorted values lies below: that at position
// f (n - 1), counted from 0, linear between two values. There must be a value, and no NaN.
double quantile(std::span<const double> values, double fraction);
// Of an even number of values the mean of the two in the middle.
double median(std::span<const double> values);
// The median of |x - median|. (1.4826 times that estimates the deviation of normal values.)
double median_absolute_deviation(std::span<const double> values);

struct Histogram {
  std::vector<double> edges;        // ascending, one more than counts
  std::vector<std::size_t> counts;  // of edges[i] <= x < edges[i + 1]; the last edge is included
};
// Bins from the least to the largest value, equally wide in log x; a single bin when all values are
// equal. The values must be positive and finite, num_bins >= 1. Empty without values.
Histogram log_histogram(std::span<const double> values, std::size_t num_bins);
// The same with bins that are equally wide in x.
Histogram linear_histogram(std::span<const double> values, std::size_t num_bins);

struct Density {
  std::vector<double> at;       // ascending, equally far apart in log x
  std::vector<double> density;  // by ln x: its integral over ln x is one
};
// A sum of normal curves over ln x, whose width is chosen by Silverman's rule, 0.9 n^(-1/5) times
// the lesser of standard deviation and interquartile range / 1.34 (the former where the latter is
// zero). The grid reaches three widths beyond the values. They must be positive and finite, num_at
// >= 2. Empty when the values do not differ. More than 8192 values are first gathered
// on a fine grid.
Density log_density(std::span<const double> values, std::size_t num_at);

// Spearman's rho: the correlation of ranks, between -1 and 1; equal values have the mean of their
// ranks. Absent when the values of x or of y do not differ. Both have the same size and no NaN;
// infinities are allowed.
std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y);

}  // namespace thallo
