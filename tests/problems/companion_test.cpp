// The companion that `thallo verify` measures errors against, in every problem: small enough that a
// wrong program is seen through it in float, however much cancels.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/diff/displacement.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/explore/verify/conformance.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"

namespace thallo::test {
namespace {

using Values = std::vector<double>;

Values random_direction(std::int64_t size) {
  Random random(1);
  Values p(static_cast<std::size_t>(size));
  for (double& x : p) x = random.uniform(-1, 1);
  return p;
}

// What verify compares, with its companions.
struct Compared {
  Values entries;
  Values companions;
  Values scales;  // the largest entry of the kind

  explicit Compared(const Linearization& l) {
    const Values p = random_direction(l.layout().size());
    add({l.cost()}, {l.cost_magnitude()});
    add(l.jtf(), l.jtf_magnitude());
    add(l.diagonal(), l.diagonal_magnitude());
    add(l.jtjp(p), l.jtjp_magnitude(p));
    for (std::size_t s = 0; s < l.layout().spaces().size(); ++s)
      add(l.blocks(s), l.blocks_magnitude(s));
  }
  void add(const Values& values, const Values& magnitudes) {
    entries.insert(entries.end(), values.begin(), values.end());
    companions.insert(companions.end(), magnitudes.begin(), magnitudes.end());
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    scales.resize(entries.size(), largest);
  }
};

// The largest error of what another energy defines, relative to the companions of the right one;
// absent where it changes nothing by as much as 1e-3 of the largest entry of its kind.
std::optional<double> error_seen(const Compared& wrong, const Compared& right) {
  double worst = 0;
  bool differs = false;
  for (std::size_t i = 0; i < right.entries.size(); ++i) {
    const double difference = std::abs(wrong.entries[i] - right.entries[i]);
    if (!std::isfinite(right.companions[i])) continue;
    if (difference > 1e-3 * right.scales[i]) differs = true;
    if (difference > 0) worst = std::max(worst, difference / right.companions[i]);
  }
  if (!differs) return std::nullopt;
  return worst;
}

// Copies of an energy with one mistake.
class Mistakes {
 public:
  explicit Mistakes(const Energy& energy) : energy_(energy) {
    std::vector<ExprId> roots;
    for (const ResidualGroup& group : energy.groups())
      roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
    for (const Intermediate& intermediate : energy.intermediates())
      roots.insert(roots.end(), intermediate.values.begin(), intermediate.values.end());
    for (const ExprId id : energy.graph().reachable(roots)) {
      const Op op = energy.graph()[id].op;
      if ((op == Op::Add || op == Op::Mul) && !energy.graph().is_boolean(id)) places_.push_back(id);
    }
  }

  // Sums and products.
  const std::vector<ExprId>& places() const { return places_; }

  Expected<Energy> twice(ExprId place) const {
    return with(place,
                [](ExprGraph& graph, ExprId id) { return graph.mul(graph.constant(2), id); });
  }
  // Of the last term or factor.
  Expected<Energy> other_sign(ExprId place) const {
    return with(place, [](ExprGraph& graph, ExprId id) {
      std::vector<ExprId> operands = graph.operands(id);
      operands.back() = graph.neg(operands.back());
      return graph.with_operands(id, operands);
    });
  }
  Expected<Energy> without_last(ExprId place) const {
    return with(place, [](ExprGraph& graph, ExprId id) {
      std::vector<ExprId> operands = graph.operands(id);
      operands.pop_back();
      return graph.with_operands(id, operands);
    });
  }

 private:
  template <class Change>
  Expected<Energy> with(ExprId place, const Change& change) const {
    Energy::Data data = energy_.data();
    std::map<ExprId, ExprId> rebuilt;
    const auto rebuild = [&](const auto& self, ExprId id) -> ExprId {
      if (id == place) return change(data.graph, id);
      if (const auto known = rebuilt.find(id); known != rebuilt.end()) return known->second;
      std::vector<ExprId> operands = energy_.graph().operands(id);
      if (operands.empty()) return id;
      for (ExprId& operand : operands) operand = self(self, operand);
      return rebuilt[id] = data.graph.with_operands(id, operands);
    };
    for (ResidualGroup& group : data.groups) {
      for (ExprId& residual : group.residuals) residual = rebuild(rebuild, residual);
    }
    for (Intermediate& intermediate : data.intermediates) {
      for (ExprId& value : intermediate.values) value = rebuild(rebuild, value);
    }
    data.sums.clear();
    data.unknowns.clear();
    return Energy::make(std::move(data));
  }

  const Energy& energy_;
  std::vector<ExprId> places_;
};

class Companion : public testing::TestWithParam<SmallInstance> {
 protected:
  Companion()
      : made_(make(GetParam().problem, GetParam().options)),
        binding_(displaced_off_switches(made_.energy, made_.instance.binding, 1).binding) {}

  const Made made_;
  const Binding binding_;
};

TEST_P(Companion, IsOffSwitchesByTheMargin) {
  const std::int64_t num_near = num_near_switches(made_.energy, binding_);
  if (num_near > 0 && GetParam().problem == "bundle_fusion")
    GTEST_SKIP() << num_near << " pixels stay near one: three poses decide for all of them";
  EXPECT_EQ(num_near, 0);
}

// Against the sums of absolute values, which do not see what cancels inside F and J.
TEST_P(Companion, IsNotMuchLargerThanTheEntries) {
  const Linearization l = EnergyEvaluator(made_.energy, binding_).linearize();
  Values absolute(static_cast<std::size_t>(l.layout().size()));
  for (const ResidualRow& row : l.rows()) {
    for (const AccessPartial& partial : row.partials)
      absolute[static_cast<std::size_t>(partial.column)] +=
          std::abs(row.weight.value * partial.value.value * row.residual.value);
  }
  const Values companion = l.jtf_magnitude();
  Values ratios;
  for (std::size_t i = 0; i < absolute.size(); ++i) {
    if (absolute[i] > 0) ratios.push_back(companion[i] / absolute[i]);
  }
  ASSERT_FALSE(ratios.empty());
  std::ranges::sort(ratios);
  const double median = ratios[ratios.size() / 2];
  std::cout << fmt::format("{:<32} companion of JtF / |J|^T|F|: median {:.3g}, largest {:.3g}\n",
                           GetParam().problem, median, ratios.back());
  EXPECT_LT(median, 3e3);
}

TEST_P(Companion, ShowsMistakesInFloat) {
  const Compared right(EnergyEvaluator(made_.energy, binding_).linearize());
  const Mistakes mistakes(made_.energy);
  constexpr std::size_t MaxPlaces = 8;
  const std::size_t stride = std::max<std::size_t>(1, mistakes.places().size() / MaxPlaces);
  int num_tried = 0;
  int num_seen = 0;
  double least = 1;
  std::string unseen;
  for (std::size_t i = 0; i < mistakes.places().size(); i += stride) {
    const ExprId place = mistakes.places()[i];
    const std::pair<const char*, Expected<Energy>> wrong[] = {
        {"twice", mistakes.twice(place)},
        {"other sign", mistakes.other_sign(place)},
        {"without last", mistakes.without_last(place)}};
    for (const auto& [what, energy] : wrong) {
      if (!energy) continue;  // nothing to solve for is left
      const Linearization l = EnergyEvaluator(*energy, binding_).linearize();
      const auto error = error_seen(Compared(l), right);
      if (!error) continue;  // of no effect to speak of, as the sign of an even power
      ++num_tried;
      least = std::min(least, *error);
      if (*error > FloatTolerance) {
        ++num_seen;
      } else {
        unseen += fmt::format("  {} of {} (error {:.1e})\n", what,
                              made_.energy.graph().operands(place).size(), *error);
      }
    }
  }
  std::cout << fmt::format("{:<32} {} of {} mistakes seen, the least at {:.1e}\n",
                           GetParam().problem, num_seen, num_tried, least);
  EXPECT_GT(num_tried, 3);
  EXPECT_EQ(num_seen, num_tried) << unseen;
}

INSTANTIATE_TEST_SUITE_P(Problems, Companion, testing::ValuesIn(small_instances()),
                         [](const auto& test) {
                           return fmt::format("{}_{}", test.param.problem, test.index);
                         });

}  // namespace
}  // namespace thallo::test
