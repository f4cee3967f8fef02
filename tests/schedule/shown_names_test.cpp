#include "core/schedule/shown_names.h"

#include <gtest/gtest.h>

#include "core/energy/builder.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

class ShownNamesTest : public testing::Test {
 protected:
  static Energy energy_with(const std::vector<std::string>& groups) {
    EnergyBuilder e("groups");
    const DimId N = e.dim("N");
    const auto X = e.unknown("X", {N});
    const IndexExpr n = e.domain(N, "n");
    double factor = 1;
    for (const std::string& group : groups) e.residual(group, ++factor * X(n));
    return test::build(std::move(e));
  }
  // Merges consecutive groups into parts of these numbers of groups.
  static Plan merged(const Energy& energy, const std::vector<std::size_t>& sizes) {
    Plan plan = default_plan(energy);
    std::vector<Part> parts;
    auto next = plan.parts.begin();
    for (const std::size_t size : sizes) {
      parts.push_back(*next++);
      for (std::size_t i = 1; i < size; ++i, ++next) {
        parts.back().residuals.insert(parts.back().residuals.end(), next->residuals.begin(),
                                      next->residuals.end());
        parts.back().name += "_" + next->name;
      }
    }
    plan.parts = parts;
    return plan;
  }
};

TEST_F(ShownNamesTest, SayWhatIsMerged) {
  const Energy energy = energy_with({"fit", "reg_up", "reg_left", "reg_down"});
  const ShownNames all(energy, merged(energy, {4}));
  EXPECT_EQ(all.of("fit_reg_up_reg_left_reg_down"), "all 4 residuals");
  EXPECT_EQ(all.label("apply_jtjp [fit_reg_up_reg_left_reg_down]"), "apply_jtjp [all 4 residuals]");
  const ShownNames some(energy, merged(energy, {1, 3}));
  EXPECT_EQ(some.of("reg_up_reg_left_reg_down"), "reg_* ×3");
  EXPECT_EQ(some.label("gather_jtf [fit, reg_up_reg_left_reg_down]"), "gather_jtf [fit, reg_* ×3]");
  EXPECT_EQ(some.of("fit"), "fit");
  EXPECT_EQ(some.of("fit.JtF"), "fit.JtF");
  EXPECT_EQ(some.of("reg_up_reg_left_reg_down.JtF"), "JtF of reg_* ×3");
  EXPECT_EQ(some.label("update"), "update");
}

TEST_F(ShownNamesTest, ListFewCountManyAndDiffer) {
  Energy energy = energy_with({"smooth", "fit", "shading", "near_the_border", "end"});
  EXPECT_EQ(ShownNames(energy, merged(energy, {2, 1, 1, 1})).of("smooth_fit"), "smooth, fit");
  EXPECT_EQ(ShownNames(energy, merged(energy, {1, 3, 1})).of("fit_shading_near_the_border"),
            "fit + 2 more");
  energy = energy_with({"reg_a", "reg_b", "reg_c", "reg_d"});
  const ShownNames shown(energy, merged(energy, {2, 2}));
  EXPECT_EQ(shown.of("reg_a_reg_b"), "reg_a_reg_b") << "both are reg_* ×2";
  EXPECT_EQ(shown.of("reg_c_reg_d"), "reg_c_reg_d");
}

TEST_F(ShownNamesTest, NameSingleResidualsOfAGroup) {
  EnergyBuilder e("pieces");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N}, 2);
  const IndexExpr n = e.domain(N, "n");
  e.residual("fit", {X(n)[0], X(n)[1]});
  e.residual("end", {X(n)[0] * 2.0, X(n)[1] * 3.0});
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.parts[0].name = "mine";
  plan.parts[0].residuals.push_back({1, 0});
  plan.parts[1].residuals = {{1, 1}};
  EXPECT_EQ(ShownNames(energy, plan).of("mine"), "fit, end[1]");
}

}  // namespace
}  // namespace thallo
