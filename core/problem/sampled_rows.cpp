#include "core/problem/sampled_rows.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/energy/evaluate/evaluator.h"

namespace thallo {
namespace {

constexpr std::int64_t MostSampledPoints = 16;     // of a group
constexpr std::int64_t MostSampledSteps = 10'000;  // of a group: points of its Sums
constexpr std::int64_t SampledElements = 256;      // of an unknown
constexpr double RoundingOfFloat = 0x1p-24;
// Elements of more channels are no pixels.
constexpr int MostChannels = 16;

// The position of sample i of so many. Multiples of the golden section are spread evenly, and over
// all columns of an image, too.
std::int64_t position_of(std::int64_t i, std::int64_t all) {
  const double golden = 0.6180339887498949 * (static_cast<double>(i) + 0.5);
  return static_cast<std::int64_t>((golden - std::floor(golden)) * static_cast<double>(all));
}

// What rows tell of how firmly elements are held that move all alike. Each channel of an unknown
// has a number.
class Anchoring {
 public:
  explicit Anchoring(const Energy& energy) {
    for (const FieldId unknown : energy.unknowns()) {
      first_[unknown] = channels_;
      channels_ += energy.field(unknown).tangent_channels();
    }
    if (channels_ > MostChannels) return;
    moved_ = Eigen::MatrixXd::Zero(channels_, channels_);
    diagonal_ = Eigen::VectorXd::Zero(channels_);
  }

  // The row stands for so many.
  void add(const ResidualRow& row, double rows) {
    if (moved_.size() == 0) return;
    Eigen::VectorXd moved = Eigen::VectorXd::Zero(channels_);
    const double weight = rows * row.weight.value;
    for (const AccessPartial& partial : row.partials) {
      const int channel = first_.at(partial.at.unknown) + partial.at.channel;
      moved[channel] += partial.value.value;
      diagonal_[channel] += weight * partial.value.value * partial.value.value;
    }
    moved_ += weight * moved * moved.transpose();
  }

  // Channels that no row reads do not count.
  double least() const {
    if (!moved_.allFinite() || !(diagonal_.array() > 0).any()) return 0;
    std::vector<Eigen::Index> read;
    for (Eigen::Index c = 0; c < diagonal_.size(); ++c)
      if (diagonal_[c] > 0) read.push_back(c);
    const Eigen::VectorXd scale = diagonal_(read).cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = scale.asDiagonal() * moved_(read, read) * scale.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled, Eigen::EigenvaluesOnly);
    return std::clamp(solver.eigenvalues().minCoeff(), 0.0, 1.0);
  }

 private:
  std::map<FieldId, int> first_;
  int channels_ = 0;
  Eigen::MatrixXd moved_;  // sum over rows of (J c)^2 as a form of c; empty if there are too many
  Eigen::VectorXd diagonal_;  // sum of d
};

// Adds rows at points that are spread over the group. Returns the errors of those that are not 0.
std::vector<double> add_rows(EnergyEvaluator& evaluator, std::size_t group, Anchoring& anchoring) {
  std::vector<double> errors;
  const std::int64_t all = evaluator.num_points(group), some = std::min(all, MostSampledPoints);
  try {
    const StepLimit limit(MostSampledSteps);
    for (std::int64_t i = 0; i < some; ++i) {
      for (const ResidualRow& row : evaluator.linearize(group, position_of(i, all))) {
        double length2 = 0, rounded2 = 0;
        for (const AccessPartial& partial : row.partials) {
          length2 += partial.value.value * partial.value.value;
          rounded2 += partial.value.magnitude * partial.value.magnitude;
        }
        if (!(length2 > 0)) continue;
        errors.push_back(RoundingOfFloat * std::sqrt(rounded2 / length2));
        anchoring.add(row, static_cast<double>(all) / static_cast<double>(some));
      }
    }
  } catch (const OutOfSteps&) {
    // What was evaluated until then has to do.
  }
  return errors;
}

double free_share(EnergyEvaluator& evaluator, const Energy& energy, const Binding& binding) {
  double free = 0, all = 0;
  for (const FieldId unknown : energy.unknowns()) {
    const std::int64_t elements = binding.num_elements(energy, unknown);
    const std::int64_t some = std::min(elements, SampledElements);
    std::int64_t held = 0;
    for (std::int64_t i = 0; i < some; ++i) {
      held += std::ranges::any_of(energy.exclusions(), [&](const Exclusion& exclusion) {
        return exclusion.unknown == unknown && evaluator.holds(exclusion, position_of(i, elements));
      });
    }
    all += static_cast<double>(elements);
    if (some > 0)
      free += static_cast<double>(elements) *
              (1 - static_cast<double>(held) / static_cast<double>(some));
  }
  return all > 0 ? free / all : 1;
}

}  // namespace

SampledRows sample_rows(const Energy& energy, const Binding& binding) {
  EnergyEvaluator evaluator(energy, binding);
  SampledRows sampled{.free = free_share(evaluator, energy, binding)};
  Anchoring anchoring(energy);
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    std::vector<double> errors = add_rows(evaluator, g, anchoring);
    if (errors.empty()) continue;
    const auto median = errors.begin() + std::ssize(errors) / 2;
    std::ranges::nth_element(errors, median);
    // Where something is not finite, double would not help.
    if (std::isfinite(*median)) sampled.float_error = std::max(sampled.float_error, *median);
  }
  sampled.anchoring = anchoring.least();
  return sampled;
}

}  // namespace thallo
