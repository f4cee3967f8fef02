#include "core/problem/sampled_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/energy/evaluate/evaluator.h"

namespace thallo {
namespace {

constexpr std::int64_t MostSampledPoints = 16;     // of a group
constexpr std::int64_t MostSampledSteps = 10'000;  // of a group: points of its Sums
constexpr double RoundingOfFloat = 0x1p-24;

// Rows of a group, without those that are 0.
struct GroupRows {
  std::vector<double> errors;
  double moved2 = 0, length2 = 0;  // |J 1|^2 and |J|^2, weighted

  void add(const ResidualRow& row) {
    double row_length2 = 0, rounded2 = 0;
    std::map<std::pair<FieldId, int>, double> moved;
    for (const AccessPartial& partial : row.partials) {
      row_length2 += partial.value.value * partial.value.value;
      rounded2 += partial.value.magnitude * partial.value.magnitude;
      moved[{partial.at.unknown, partial.at.channel}] += partial.value.value;
    }
    if (!(row_length2 > 0)) return;
    errors.push_back(RoundingOfFloat * std::sqrt(rounded2 / row_length2));
    length2 += row.weight.value * row_length2;
    for (const auto& [channel, sum] : moved) moved2 += row.weight.value * sum * sum;
  }
};

// At points that are spread over the group.
GroupRows rows_of(EnergyEvaluator& evaluator, std::size_t group) {
  GroupRows rows;
  const std::int64_t all = evaluator.num_points(group), some = std::min(all, MostSampledPoints);
  try {
    const StepLimit limit(MostSampledSteps);
    for (std::int64_t i = 0; i < some; ++i) {
      for (const ResidualRow& row : evaluator.linearize(group, (2 * i + 1) * all / (2 * some)))
        rows.add(row);
    }
  } catch (const OutOfSteps&) {
    // What was evaluated until then has to do.
  }
  if (some > 0) {
    const double points_of_one = static_cast<double>(all) / static_cast<double>(some);
    rows.moved2 *= points_of_one;
    rows.length2 *= points_of_one;
  }
  return rows;
}

}  // namespace

SampledRows sample_rows(const Energy& energy, const Binding& binding) {
  EnergyEvaluator evaluator(energy, binding);
  SampledRows sampled;
  double moved2 = 0, length2 = 0;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    GroupRows rows = rows_of(evaluator, g);
    moved2 += rows.moved2;
    length2 += rows.length2;
    if (rows.errors.empty()) continue;
    const auto median = rows.errors.begin() + std::ssize(rows.errors) / 2;
    std::ranges::nth_element(rows.errors, median);
    // Where something is not finite, double would not help.
    if (std::isfinite(*median)) sampled.float_error = std::max(sampled.float_error, *median);
  }
  if (std::isfinite(moved2) && length2 > 0) sampled.anchoring = moved2 / length2;
  return sampled;
}

}  // namespace thallo
