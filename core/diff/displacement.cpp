#include "core/diff/displacement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/point_evaluator.h"

namespace thallo {
namespace {

using Element = std::pair<FieldId, std::int64_t>;

// The largest finite magnitude of a field; for poses only shifts count, not angles or quaternions.
double largest_coordinate(const Field& field, const HostArray& values) {
  const auto num_stored = static_cast<std::size_t>(field.channels);
  const auto num_shifts = field.manifold == Manifold::Euclidean
                              ? num_stored
                              : static_cast<std::size_t>(shift_channels(field.manifold));
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values.value(i);
    if (i % num_stored < num_shifts && std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  return largest;
}

// The scale of a coordinate's displacement. A coordinate that is 0 but for rounding moves in
// proportion to the largest of its field. Any other moves in proportion to itself: a small number
// among large ones may be a rate in an exponential.
double scale_of(double x, double largest) {
  if (largest == 0) return 1;
  return std::abs(x) > 1e-6 * largest ? std::abs(x) : 0.1 * largest;
}

// Draws new values for elements of unknowns, near their values in the binding `from`.
class Displacement {
 public:
  Displacement(const Energy& energy, const Binding& from, std::uint64_t seed)
      : energy_(energy), from_(from), random_(seed) {
    for (const FieldId unknown : energy.unknowns())
      largest_[unknown] = largest_coordinate(energy.field(unknown), from.field(unknown));
  }

  // `reach` multiplies the ranges that displaced() documents.
  void move(const Element& element, double reach, Binding& to) {
    const Field& field = energy_.field(element.first);
    const auto channels = static_cast<std::size_t>(field.channels);
    const auto first = static_cast<std::size_t>(element.second) * channels;
    const double largest = largest_.at(element.first);
    const HostArray& before = from_.field(element.first);
    HostArray& after = to.field(element.first);
    if (field.manifold != Manifold::Euclidean) {
      move_pose(field.manifold, before, first, {largest, reach}, after);
      return;
    }
    for (std::size_t i = first; i < first + channels; ++i) {
      const double x = before.value(i);
      if (!std::isfinite(x)) continue;
      const double scale = scale_of(x, largest);
      after.set_value(i, x + 0.02 * reach * scale * random_.uniform(-1, 1));
    }
  }

 private:
  struct Range {
    double largest;  // coordinate of the field
    double reach;
  };
  // Moves a pose by a random step: shifts of at most 2 % of the largest coordinate and angles of at
  // most 0.02 radians, both times `reach`.
  void move_pose(Manifold pose, const HostArray& before, std::size_t first, const Range& range,
                 HostArray& after) {
    std::vector<double> at;
    for (int c = 0; c < stored_channels(pose); ++c)
      at.push_back(before.value(first + static_cast<std::size_t>(c)));
    std::vector<double> step;
    for (int k = 0; k < tangent_channels(pose); ++k) {
      const bool is_shift = k < shift_channels(pose);
      const double scale = is_shift && range.largest > 0 ? range.largest : 1;
      step.push_back(0.02 * range.reach * scale * random_.uniform(-1, 1));
    }
    const std::vector<double> moved = plus(pose, at, step);
    for (std::size_t c = 0; c < moved.size(); ++c) after.set_value(first + c, moved[c]);
  }

  const Energy& energy_;
  const Binding& from_;
  Random random_;
  std::map<FieldId, double> largest_;
};

// Finds the points near switches. The evaluator reports what switches between two values of the
// unknowns, or comes within a margin of it; here the two values are nearly the same.
class SwitchSearch {
 public:
  SwitchSearch(const Energy& energy, const Binding& binding, double margin)
      : order_(energy, binding),
        beside_(order_.unknowns()),
        evaluator_(energy.graph(), energy, binding, order_.layout()) {
    for (double& x : beside_)
      if (std::isfinite(x)) x += 1e-9 * std::max(std::abs(x), 1e-3);
    evaluator_.set_unknowns(beside_);
    evaluator_.set_base(order_.unknowns());
    evaluator_.set_switch_margin(margin);
    for (std::size_t g = 0; g < energy.groups().size(); ++g) {
      const ResidualGroup& group = energy.groups()[g];
      for (std::int64_t position = 0; position < order_.num_points(g); ++position)
        visit(group.domains, order_.point(g, position), group.residuals);
    }
    for (const Exclusion& exclusion : energy.exclusions()) {
      const std::int64_t elements = binding.num_elements(energy, exclusion.unknown);
      for (std::int64_t element = 0; element < elements; ++element)
        visit(exclusion.domains, order_.point(exclusion.domains, element), {exclusion.condition});
    }
  }

  std::int64_t num_near() const { return num_near_; }
  // The elements of unknowns that points near switches read.
  const std::set<Element>& elements() const { return elements_; }

 private:
  void visit(const std::vector<DomainId>& domains, const std::vector<std::int64_t>& point,
             const std::vector<ExprId>& expressions) {
    evaluator_.move_to(domains, point);
    for (const ExprId expression : expressions) evaluator_.evaluate(expression);
    if (!evaluator_.has_switched()) return;
    ++num_near_;
    for (const std::int64_t column : evaluator_.columns_read()) {
      const UnknownEntry at = order_.layout().entry(column);
      elements_.emplace(at.unknown, at.element);
    }
  }

  EnergyEvaluator order_;
  std::vector<double> beside_;
  PointEvaluator evaluator_;
  std::int64_t num_near_ = 0;
  std::set<Element> elements_;
};

Binding displaced_by(Displacement& displacement, const Energy& energy, const Binding& binding) {
  Binding moved = binding;
  for (const FieldId unknown : energy.unknowns()) {
    const std::int64_t elements = binding.num_elements(energy, unknown);
    for (std::int64_t element = 0; element < elements; ++element)
      displacement.move({unknown, element}, 1, moved);
  }
  return moved;
}

}  // namespace

Binding displaced(const Energy& energy, const Binding& binding, std::uint64_t seed) {
  Displacement displacement(energy, binding, seed);
  return displaced_by(displacement, energy, binding);
}

std::int64_t num_near_switches(const Energy& energy, const Binding& binding, double margin) {
  return SwitchSearch(energy, binding, margin).num_near();
}

OffSwitches displaced_off_switches(const Energy& energy, const Binding& binding,
                                   std::uint64_t seed) {
  constexpr int MaxRoundsInVain = 12;
  Displacement displacement(energy, binding, seed);
  Binding moved = displaced_by(displacement, energy, binding);
  OffSwitches best{moved, -1};
  double reach = 1;
  for (int in_vain = 0; in_vain < MaxRoundsInVain; ++in_vain) {
    const SwitchSearch search(energy, moved, SwitchMargin);
    if (best.num_near < 0 || search.num_near() < best.num_near) {
      best = {moved, search.num_near()};
      in_vain = 0;
    }
    if (best.num_near == 0) break;
    reach = std::min(1.25 * reach, 10.0);
    for (const Element& element : search.elements()) displacement.move(element, reach, moved);
  }
  return best;
}

}  // namespace thallo
