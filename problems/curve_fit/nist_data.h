// The nonlinear regression data sets of the NIST Statistical Reference Datasets (StRD): 27 small
// fits with certified answers, the classic examination of a nonlinear least-squares solver. A .dat
// file carries a description for people, two starting points, the certified parameters with their
// standard deviations, the certified residual sum of squares and the observations. The model
// itself is prose in the file; models.h has it as a formula.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo::curve_fit {

struct NistData {
  std::string name;  // "Misra1a"

  // One entry a parameter, b1 first.
  std::array<std::vector<double>, 2> starts;  // Start 1 (far), Start 2 (near)
  std::vector<double> certified;
  std::vector<double> standard_deviations;
  double residual_sum_of_squares = 0;  // Σ (y - f)² at the certified parameters

  // One entry an observation; predictors[k] is the column of x(k+1).
  std::vector<double> response;
  std::vector<std::vector<double>> predictors;

  int num_parameters() const { return static_cast<int>(certified.size()); }
  int num_observations() const { return static_cast<int>(response.size()); }
};

// Errors name file and line and what is wrong there: a text that is no StRD regression file, a
// missing section, a parameter without its four numbers, fewer or more rows than declared, a word
// that is no finite number.
Expected<NistData> read_nist(const std::filesystem::path& path);
Expected<NistData> parse_nist(const std::string& file, std::string_view text);

// Digits to which a value agrees with its certified one: -log10 of the relative error, between 0
// (no agreement, or not finite) and 11 (all the digits NIST prints).
double correct_digits(double value, double certified);

}  // namespace thallo::curve_fit
