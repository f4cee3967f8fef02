// One fit to be done: a model, observations, where to start, and the parameters that should come
// out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "problems/curve_fit/models.h"

namespace thallo::curve_fit {

struct FitData {
  std::string name;
  const Model* model = nullptr;
  std::vector<double> response;
  std::vector<std::vector<double>> predictors;  // [predictor][observation]
  std::vector<double> start;

  // Certified by NIST, or the truth that data were generated from.
  bool certified = false;
  std::vector<double> expected;
  // Standard deviations of the certified parameters; empty for generated data.
  std::vector<double> standard_deviations;

  int num_observations() const { return static_cast<int>(response.size()); }
  // The value that is fitted: y, or log(y) if the model says so.
  double observed(int i) const;
  double fitted(const std::vector<double>& parameters, int i) const;
  double residual_sum_of_squares(const std::vector<double>& parameters) const;
};

// A NIST .dat file, whose data set must be one of nist_sets(); `start` is 1 or 2.
Expected<FitData> load_nist_fit(const std::filesystem::path& path, int start);

// A spectrum made by the product itself: two overlapping peaks on an exponential background with
// Gaussian noise, as in NIST's Gauss data. The start is what a person would read off the plot.
struct SpectrumOptions {
  int num_points = 250;
  double noise = 2.5;  // standard deviation; the peaks are about 100 and 70 high
  std::uint64_t seed = 1;
};
FitData generate_spectrum(const SpectrumOptions& options);

}  // namespace thallo::curve_fit
