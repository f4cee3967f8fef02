#include "core/cost/learned/corrected_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cost/learned/non_negative_least_squares.h"
#include "core/cost/model/analytic.h"

namespace thallo {
namespace {

// The prior, then the terms.
constexpr std::size_t NumColumns = 1 + AllTerms.size();
using Coefficients = std::array<double, NumColumns>;
using ByFamily = std::array<Coefficients, AllFamilies.size()>;

constexpr Coefficients OfPrior = {1};
// How much the coefficients are drawn to those of the prior, in steps that would say so.
constexpr double PriorSteps = 0.03;

Coefficients columns_of(const CostModel& prior, const StepWork& step, const ProgramWork& program,
                        const DeviceSpec& device) {
  Coefficients columns;
  columns[0] = prior.seconds(step, program, device);
  const StepTerms terms = terms_of(step, program, device);
  for (std::size_t i = 0; i < AllTerms.size(); ++i) columns[1 + i] = terms[AllTerms[i]];
  return columns;
}

double sum_of(const Coefficients& coefficients, const Coefficients& columns) {
  double sum = 0;
  for (std::size_t i = 0; i < NumColumns; ++i) sum += coefficients[i] * columns[i];
  return sum;
}

// The squares as x^T G x - 2 r^T x plus a constant.
class Squares {
 public:
  Squares() {
    for (std::size_t i = 0; i < NumColumns; ++i) {
      gram_[i * NumColumns + i] = PriorSteps;
      right_[i] = PriorSteps * OfPrior[i];
    }
  }

  void add(const Coefficients& columns, double seconds, double weight) {
    for (std::size_t i = 0; i < NumColumns; ++i) {
      const double share = columns[i] / seconds;
      right_[i] += weight * share;
      for (std::size_t j = 0; j < NumColumns; ++j)
        gram_[j * NumColumns + i] += weight * share * columns[j] / seconds;
    }
  }

  Coefficients least() const {
    const std::vector<double> solved = non_negative_least_squares(gram_, right_);
    Coefficients result;
    std::ranges::copy(solved, result.begin());
    // Rounding could have ended the solver early.
    return at(result) < at(OfPrior) ? result : OfPrior;
  }

 private:
  double at(const Coefficients& x) const {
    double value = 0;
    for (std::size_t i = 0; i < NumColumns; ++i) {
      value -= 2 * right_[i] * x[i];
      for (std::size_t j = 0; j < NumColumns; ++j) value += x[i] * gram_[j * NumColumns + i] * x[j];
    }
    return value;
  }

  std::vector<double> gram_ = std::vector<double>(NumColumns * NumColumns);
  std::vector<double> right_ = std::vector<double>(NumColumns);
};

Coefficients fitted(const CostModel& prior, const TrainingSet& set, StepFamily family) {
  std::vector<const MeasuredStep*> steps;
  double weights = 0;
  for (const MeasuredStep& step : set.steps) {
    if (family_of(step.work) != family || !(step.seconds > 0)) continue;
    steps.push_back(&step);
    weights += std::sqrt(step.seconds);
  }
  Squares squares;
  for (const MeasuredStep* step : steps) {
    const double weight = std::sqrt(step->seconds) * static_cast<double>(steps.size()) / weights;
    squares.add(columns_of(prior, step->work, step->program, set.device), step->seconds, weight);
  }
  return squares.least();
}

class Corrected final : public CostModel {
 public:
  Corrected(std::shared_ptr<const CostModel> prior, const TrainingSet& set)
      : prior_(std::move(prior)),
        name_(fmt::format("{}, corrected", prior_->name())),
        doc_(fmt::format("{}, corrected by {} measured steps.", prior_->name(), set.steps.size())) {
    for (const StepFamily family : AllFamilies)
      of_family_[static_cast<std::size_t>(family)] = fitted(*prior_, set, family);
  }

  std::string_view name() const override { return name_; }
  std::string_view doc() const override { return doc_; }
  bool is_fitted() const override { return true; }
  double seconds(const StepWork& step, const ProgramWork& program,
                 const DeviceSpec& device) const override {
    return sum_of(of_family_[static_cast<std::size_t>(family_of(step))],
                  columns_of(*prior_, step, program, device));
  }
  TimeParts parts(const StepWork& step, const ProgramWork& program,
                  const DeviceSpec& device) const override {
    const Coefficients& its = of_family_[static_cast<std::size_t>(family_of(step))];
    StepTerms terms = terms_of(step, program, device);
    for (std::size_t i = 0; i < AllTerms.size(); ++i) terms[AllTerms[i]] *= its[1 + i];
    TimeParts parts = parts_of_sum(terms);
    parts.add(prior_->parts(step, program, device), its[0]);
    return parts;
  }

 private:
  std::shared_ptr<const CostModel> prior_;
  std::string name_, doc_;
  ByFamily of_family_;
};

}  // namespace

std::unique_ptr<const CostModel> corrected_model(std::shared_ptr<const CostModel> prior,
                                                 const TrainingSet& set) {
  return std::make_unique<Corrected>(std::move(prior), set);
}

}  // namespace thallo
