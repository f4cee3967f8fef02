// The energies of the problems mean what their comments say.

#include "core/language/load_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/language/texts.h"

namespace thallo {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

using Values = std::vector<double>;

Energy load_problem(const std::string& name) {
  auto file = load_energy(std::string(THALLO_SOURCE_DIR "/problems/") + name + "/" + name + ".lua");
  if (!file) ADD_FAILURE() << file.error().message();
  return std::move(file).value().energy;
}

std::vector<std::string> group_names(const Energy& energy) {
  std::vector<std::string> names;
  for (const ResidualGroup& group : energy.groups()) names.push_back(group.name);
  return names;
}

TEST(EnergyFile, LoadsImageWarping) {
  const Energy energy = load_problem("image_warping");
  EXPECT_EQ(energy.name(), "image_warping");
  EXPECT_THAT(group_names(energy),
              ElementsAre("fit", "reg_down", "reg_left", "reg_right", "reg_up"));
  for (const ResidualGroup& group : energy.groups()) {
    EXPECT_EQ(group.domains.size(), 2u);
    EXPECT_EQ(group.residuals.size(), 2u);
  }
  EXPECT_EQ(energy.unknowns().size(), 2u);
  EXPECT_EQ(energy.field(energy.unknowns()[0]).name, "Offset") << "declaration order";
  EXPECT_EQ(energy.exclusions().size(), 2u);
}

TEST(EnergyFile, LoadsBundleAdjustment) {
  const Energy energy = load_problem("bundle_adjustment");
  EXPECT_THAT(group_names(energy), ElementsAre("reprojection"));
  EXPECT_EQ(energy.groups()[0].domains.size(), 1u);
  EXPECT_EQ(energy.field(energy.find_field("cameras")).channels, 9);
  EXPECT_EQ(energy.maps().size(), 2u);
}

// The formula of image_warping.lua, pixel by pixel.
TEST(EnergyFile, ImageWarpingHasTheCostOfItsFormula) {
  constexpr int W = 3, H = 2;
  const Values offset = {0.2, 0.1, 1.4, -0.3, 2.2, 0.5, 0.1, 1.3, 0.8, 1.1, 2.5, 0.9};
  const Values angle = {0.3, -0.2, 0.1, 0.5, -0.4, 0.2};
  const Values ur_shape = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
  const Values constraints = {-1, -1, 1, 0.5, 3, -1, 0.5, 2, -1, -1, 2, 2};
  const Values mask = {0, 0, 0, 0, 0, 1};
  const double w_fit = 10, w_reg = 0.5;

  double cost = 0;
  for (int y = 0; y < H; ++y) {
    for (int x = 0; x < W; ++x) {
      const auto at = [&](const Values& v, int i, int j, int c) {
        return v[static_cast<std::size_t>(2 * (i + W * j) + c)];
      };
      const auto masked = [&](int i, int j) { return mask[static_cast<std::size_t>(i + W * j)]; };
      if (masked(x, y) != 0) continue;
      if (at(constraints, x, y, 0) >= 0 && at(constraints, x, y, 1) >= 0)
        for (int c = 0; c < 2; ++c)
          cost += std::pow(w_fit * (at(offset, x, y, c) - at(constraints, x, y, c)), 2);
      const double a = angle[static_cast<std::size_t>(x + W * y)];
      for (const auto& [i, j] : {std::pair{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}}) {
        if (i < 0 || i >= W || j < 0 || j >= H || masked(i, j) != 0) continue;
        const double u0 = at(ur_shape, x, y, 0) - at(ur_shape, i, j, 0);
        const double u1 = at(ur_shape, x, y, 1) - at(ur_shape, i, j, 1);
        const double e0 = at(offset, x, y, 0) - at(offset, i, j, 0);
        const double e1 = at(offset, x, y, 1) - at(offset, i, j, 1);
        cost += std::pow(w_reg * (e0 - (std::cos(a) * u0 - std::sin(a) * u1)), 2);
        cost += std::pow(w_reg * (e1 - (std::sin(a) * u0 + std::cos(a) * u1)), 2);
      }
    }
  }

  const Energy energy = load_problem("image_warping");
  const Binding binding = test::bind(energy, {{{"W", W}, {"H", H}},
                                              {{"Offset", offset},
                                               {"Angle", angle},
                                               {"UrShape", ur_shape},
                                               {"Constraints", constraints},
                                               {"Mask", mask}},
                                              {},
                                              {{"w_fitSqrt", w_fit}, {"w_regSqrt", w_reg}}});
  EnergyEvaluator evaluator(energy, binding);
  EXPECT_NEAR(evaluator.cost(), cost / 2, 1e-12);
  EXPECT_THAT(evaluator.excluded(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,  // Offset
                                                0, 0, 0, 0, 0, 1));                  // Angle
}

// By hand: a quarter turn about z takes (1, 2, -4) to (-2, 1, -4), the translation to (-2, 1, -5);
// c = (-0.4, 0.2), |c|^2 = 0.2, d = 1 + 0.2 (0.1 + 0.2 * 0.5) = 1.04, f d c = (-0.832, 0.416).
TEST(EnergyFile, BundleAdjustmentProjectsAsBundlerDoes) {
  const Energy energy = load_problem("bundle_adjustment");
  const Values still = {0, 0, 0, 0, 0, 0, 1, 0, 0};
  Values cameras = still;
  cameras.insert(cameras.end(), {0, 0, std::numbers::pi / 2, 0, 0, -1, 2, 0.1, 0.5});
  const Binding binding = test::bind(energy, {{{"C", 2}, {"P", 2}, {"O", 2}},
                                              {{"cameras", cameras},
                                               {"points", Values{1, 2, -4, 7, 7, 7}},
                                               {"observations", Values{1, 1, 0, 0}}},
                                              {{"camera_of", {1, 0}}, {"point_of", {0, 0}}},
                                              {}});
  EnergyEvaluator evaluator(energy, binding);
  EXPECT_THAT(evaluator.residuals(),
              ElementsAre(DoubleNear(1.832, 1e-12), DoubleNear(0.584, 1e-12),
                          DoubleNear(-0.25, 1e-12), DoubleNear(-0.5, 1e-12)));
  for (const double entry : evaluator.linearize().jtf())
    EXPECT_TRUE(std::isfinite(entry)) << "a camera that is not turned has derivatives too";
}

}  // namespace
}  // namespace thallo
