#include "problems/curve_fit/fit_data.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/random.h"
#include "problems/curve_fit/nist_data.h"

namespace thallo::curve_fit {

double FitData::observed(int i) const {
  const double y = response[static_cast<std::size_t>(i)];
  return model->log_response ? std::log(y) : y;
}

double FitData::fitted(const std::vector<double>& parameters, int i) const {
  std::vector<double> x;
  for (const auto& column : predictors) x.push_back(column[static_cast<std::size_t>(i)]);
  return model->value(Numbered<double>(parameters), Numbered<double>(x));
}

double FitData::residual_sum_of_squares(const std::vector<double>& parameters) const {
  double sum = 0;
  for (int i = 0; i < num_observations(); ++i) {
    const double r = observed(i) - fitted(parameters, i);
    sum += r * r;
  }
  return sum;
}

Expected<FitData> load_nist_fit(const std::filesystem::path& path, int start) {
  THALLO_ASSERT(start == 1 || start == 2, "start {}", start);
  THALLO_TRY(auto nist, read_nist(path));
  const NistSet* set = find_nist_set(nist.name);
  if (!set) {
    Diagnostic unknown{
        "there is no formula for data set '" + nist.name + "'", {path.string(), 0, 0}, {}};
    for (const NistSet& known : nist_sets()) unknown.alternatives.emplace_back(known.name);
    return fail(std::move(unknown));
  }
  FitData fit;
  fit.name = nist.name;
  fit.model = find_model(set->model);
  THALLO_ASSERT(fit.model != nullptr, "{} names the unknown model {}", set->name, set->model);
  if (nist.num_parameters() != fit.model->num_parameters ||
      static_cast<int>(nist.predictors.size()) != fit.model->num_predictors) {
    return fail_at({path.string(), 0, 0},
                   "{} has {} parameters and {} predictors, its formula {} has {} and {}",
                   nist.name, nist.num_parameters(), nist.predictors.size(), fit.model->formula,
                   fit.model->num_parameters, fit.model->num_predictors);
  }
  fit.response = std::move(nist.response);
  fit.predictors = std::move(nist.predictors);
  fit.start = std::move(nist.starts[static_cast<std::size_t>(start - 1)]);
  fit.certified = true;
  fit.expected = std::move(nist.certified);
  fit.standard_deviations = std::move(nist.standard_deviations);
  return fit;
}

FitData generate_spectrum(const SpectrumOptions& options) {
  FitData fit;
  fit.name = "generated spectrum";
  fit.model = find_model("two_peaks");
  fit.expected = {98.0, 0.0105, 100.0, 67.0, 23.0, 72.0, 115.0, 18.0};
  fit.start = {90.0, 0.009, 80.0, 60.0, 20.0, 60.0, 122.0, 20.0};
  fit.predictors.resize(1);
  Random random(options.seed);
  constexpr double End = 250.0;
  for (int i = 0; i < options.num_points; ++i) {
    fit.predictors[0].push_back(End * (i + 1) / options.num_points);
    fit.response.push_back(fit.fitted(fit.expected, i) + options.noise * random.normal());
  }
  return fit;
}

}  // namespace thallo::curve_fit
