#include "core/problem/loop_precision.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/energy/evaluate/evaluator.h"

namespace thallo {
namespace {

constexpr std::int64_t MostSampledPoints = 16;     // of a group
constexpr std::int64_t MostSampledSteps = 10'000;  // of a group: points of its Sums
constexpr double RoundingOfFloat = 0x1p-24;

// Adds the error of each row that is not 0, at points that are spread over the group.
void add_errors(EnergyEvaluator& evaluator, std::size_t group, std::vector<double>& errors) {
  const std::int64_t all = evaluator.num_points(group), some = std::min(all, MostSampledPoints);
  for (std::int64_t i = 0; i < some; ++i) {
    for (const ResidualRow& row : evaluator.linearize(group, (2 * i + 1) * all / (2 * some))) {
      double length2 = 0, rounded2 = 0;
      for (const AccessPartial& partial : row.partials) {
        length2 += partial.value.value * partial.value.value;
        rounded2 += partial.value.magnitude * partial.value.magnitude;
      }
      if (length2 > 0) errors.push_back(RoundingOfFloat * std::sqrt(rounded2 / length2));
    }
  }
}

}  // namespace

double float_error_of_rows(const Energy& energy, const Binding& binding) {
  EnergyEvaluator evaluator(energy, binding);
  double worst = 0;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    std::vector<double> errors;
    try {
      const StepLimit limit(MostSampledSteps);
      add_errors(evaluator, g, errors);
    } catch (const OutOfSteps&) {
      // What was evaluated until then has to do.
    }
    if (errors.empty()) continue;
    const auto median = errors.begin() + std::ssize(errors) / 2;
    std::ranges::nth_element(errors, median);
    // Where something is not finite, double would not help.
    if (std::isfinite(*median)) worst = std::max(worst, *median);
  }
  return worst;
}

}  // namespace thallo
