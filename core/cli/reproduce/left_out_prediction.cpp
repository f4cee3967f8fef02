#include "core/cli/reproduce/left_out_prediction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/interrupt.h"
#include "core/cli/require.h"
#include "core/cost/learned/fit.h"
#include "core/explore/learn/fit_quality.h"
#include "core/explore/learn/stored_training_set.h"
#include "core/explore/measure/statistics.h"

namespace thallo::cli {
namespace {

// What is shipped does not change, and to read it takes seconds.
const TrainingSet& shipped_measurements() {
  static const TrainingSet set = [] {
    const auto path = find_asset("models/h100.store.xz");
    if (!path) throw UserError("the measurements assets/models/h100.store.xz are not there");
    LeftOutRecords left_out;
    const std::array<std::filesystem::path, 1> stores = {*path};
    return require(read_training_set(stores, "", left_out));
  }();
  return set;
}

// No number if all times are equal.
double explained_variance(const PredictedTimes& times) {
  std::vector<double> logarithms;
  for (const double seconds : times.measured) logarithms.push_back(std::log(seconds));
  const double mean =
      std::reduce(logarithms.begin(), logarithms.end()) / static_cast<double>(logarithms.size());
  double unexplained = 0, all = 0;
  for (std::size_t i = 0; i < logarithms.size(); ++i) {
    unexplained += std::pow(std::log(times.predicted[i]) - logarithms[i], 2);
    all += std::pow(logarithms[i] - mean, 2);
  }
  return 1 - unexplained / all;
}

void add_steps(const std::string& prefix, const PredictedTimes& steps, MeasuredCase& measured) {
  if (const double r2 = explained_variance(steps); std::isfinite(r2))
    measured.set(prefix + "r2", r2);
  if (const auto rho = spearman_rho(steps.predicted, steps.measured))
    measured.set(prefix + "rho", *rho);
}

void add_schedules(const std::string& prefix, const FitQuality& quality, MeasuredCase& measured) {
  if (quality.rank_correlation) measured.set(prefix + "schedules_rho", *quality.rank_correlation);
  if (quality.first_off_best) measured.set(prefix + "first", 1 + *quality.first_off_best);
}

}  // namespace

MeasuredCase left_out_prediction(const CaseToMeasure& its) {
  const TrainingSet& set = shipped_measurements();
  const std::size_t problem = require(set.problem_number(its.one.problem));
  InterruptWatch interrupt;
  const std::string name = its.input.options.value_or<std::string>("model", "learned");
  const LearnedModel fitted = require(fit_model(name, set, problem, {.stop = interrupt.stop()}));
  const auto model = make_learned_model(name, fitted);
  const PredictedTimes steps = predicted_steps(*model, set, problem);
  MeasuredCase measured;
  measured.set("steps", static_cast<double>(steps.measured.size()));
  add_steps("", steps, measured);
  const FitQuality quality = quality_of(*model, set, problem);
  add_schedules("", quality, measured);
  if (quality.mean_off_best) measured.set("mean", 1 + *quality.mean_off_best);
  add_steps("analytic_", predicted_steps(default_cost_model(), set, problem), measured);
  add_schedules("analytic_", quality_of(default_cost_model(), set, problem), measured);
  for (std::size_t i = 0; i < steps.measured.size(); ++i)
    measured.curve.emplace_back(1e3 * steps.predicted[i], 1e3 * steps.measured[i]);
  measured.conditions =
      fmt::format("The model {} is fitted to the steps of the other {} problems; measured on {}.",
                  name, set.problems.size() - 1, set.device.name);
  return measured;
}

}  // namespace thallo::cli
