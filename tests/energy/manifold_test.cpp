#include "core/energy/manifold.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "core/base/random.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::ElementsAre, testing::HasSubstr, testing::Pointwise;
using Values = std::vector<double>;

Values random_pose(Manifold manifold, Random& random) {
  Values pose;
  for (int c = 0; c < stored_channels(manifold); ++c) pose.push_back(random.normal());
  if (manifold == Manifold::SE3) {
    const double length = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
    for (std::size_t c = 3; c < 7; ++c) pose[c] /= length;
  }
  return pose;
}

Values random_step(Manifold manifold, Random& random) {
  Values step;
  for (int c = 0; c < tangent_channels(manifold); ++c) step.push_back(random.normal());
  return step;
}

class PoseManifold : public testing::TestWithParam<Manifold> {};
INSTANTIATE_TEST_SUITE_P(Poses, PoseManifold, testing::Values(Manifold::SE2, Manifold::SE3),
                         [](const auto& pose) { return std::string(to_string(pose.param)); });

TEST_P(PoseManifold, StaysByAStepOfZero) {
  Random random(1);
  const Values pose = random_pose(GetParam(), random);
  const Values zero(static_cast<std::size_t>(tangent_channels(GetParam())));
  EXPECT_THAT(plus(GetParam(), pose, zero), Pointwise(DoubleNear(1e-15), pose));
}

// Steps along one direction add up, and a step back undoes a step.
TEST_P(PoseManifold, GoesAlongItsOwnAxes) {
  Random random(2);
  const Values pose = random_pose(GetParam(), random);
  for (int k = 0; k < tangent_channels(GetParam()); ++k) {
    Values step(static_cast<std::size_t>(tangent_channels(GetParam())));
    const auto move = [&](const Values& from, double length) {
      step[static_cast<std::size_t>(k)] = length;
      return plus(GetParam(), from, step);
    };
    EXPECT_THAT(move(move(pose, 0.3), 0.4), Pointwise(DoubleNear(1e-14), move(pose, 0.7)));
    EXPECT_THAT(move(move(pose, 0.3), -0.3), Pointwise(DoubleNear(1e-14), pose));
  }
}

Values basis_row(Manifold manifold, const Values& pose, int channel) {
  const std::vector<Rounded> at(pose.begin(), pose.end());
  Values row;
  for (const Rounded& entry : tangent_basis_row(manifold, at, channel)) row.push_back(entry.value);
  return row;
}

TEST_P(PoseManifold, HasTheTangentsOfItsSteps) {
  Random random(3);
  const Values pose = random_pose(GetParam(), random);
  for (int k = 0; k < tangent_channels(GetParam()); ++k) {
    constexpr double H = 1e-5;
    Values step(static_cast<std::size_t>(tangent_channels(GetParam())));
    step[static_cast<std::size_t>(k)] = H;
    const Values above = plus(GetParam(), pose, step);
    step[static_cast<std::size_t>(k)] = -H;
    const Values below = plus(GetParam(), pose, step);
    for (std::size_t c = 0; c < pose.size(); ++c) {
      const Values row = basis_row(GetParam(), pose, static_cast<int>(c));
      EXPECT_NEAR(row[static_cast<std::size_t>(k)], (above[c] - below[c]) / (2 * H), 1e-9);
    }
  }
}

// On constants the graph computes at once.
TEST_P(PoseManifold, IsTheSameInNumbersAndExpressions) {
  Random random(4);
  for (const double scale : {1.0, 1e-7, 0.0}) {
    const Values pose = random_pose(GetParam(), random);
    Values step = random_step(GetParam(), random);
    for (double& s : step) s *= scale;
    ExprGraph graph;
    const auto constants = [&](const Values& values) {
      std::vector<ExprId> ids;
      for (const double value : values) ids.push_back(graph.constant(value));
      return ids;
    };
    const auto value_of = [&](const std::vector<ExprId>& ids) {
      Values values;
      for (const ExprId id : ids) values.push_back(graph.constant_value(id));
      return values;
    };
    EXPECT_THAT(value_of(plus(graph, GetParam(), constants(pose), constants(step))),
                Pointwise(DoubleNear(1e-14), plus(GetParam(), pose, step)));
    for (int c = 0; c < stored_channels(GetParam()); ++c) {
      EXPECT_THAT(value_of(tangent_basis_row(graph, GetParam(), constants(pose), c)),
                  Pointwise(DoubleNear(1e-14), basis_row(GetParam(), pose, c)));
    }
  }
}

TEST(Se3, TurnsAboutTheStepAndKeepsUnitLength) {
  const double quarter = std::numbers::pi / 2;
  const double half = std::sqrt(0.5);
  const auto near = [](double value) { return DoubleNear(value, 1e-15); };
  const Values start = {1, 2, 3, 0, 0, 0, 1};
  const Values turned = plus(Manifold::SE3, start, Values{0, 0, 0, 0, 0, quarter});
  EXPECT_THAT(turned,
              ElementsAre(near(1), near(2), near(3), near(0), near(0), near(half), near(half)));
  // Now forward is along y.
  EXPECT_THAT(plus(Manifold::SE3, turned, Values{5, 0, 0, 0, 0, 0}),
              ElementsAre(near(1), near(7), near(3), near(0), near(0), near(half), near(half)));
  Values pose = start;
  Random random(5);
  for (int i = 0; i < 1000; ++i)
    pose = plus(Manifold::SE3, pose, random_step(Manifold::SE3, random));
  EXPECT_TRUE(is_point(Manifold::SE3, pose));
  EXPECT_FALSE(is_point(Manifold::SE3, Values{0, 0, 0, 0, 0, 0, 1.01}));
}

TEST(PoseUnknown, CountsItsDegreesOfFreedom) {
  EnergyBuilder e("pose");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N}, Manifold::SE3);
  const auto i = e.domain(N);
  e.residual("r", X(i));
  const Energy energy = test::build(std::move(e));
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("N", 2));
  ASSERT_TRUE(binding.set_field("X", Values{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_TRUE(binding.validate(energy));
  EXPECT_EQ(binding.num_unknowns(energy), 12);

  ASSERT_TRUE(binding.set_field("X", Values{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}));
  const auto fault = binding.validate(energy);
  ASSERT_FALSE(fault);
  EXPECT_THAT(fault.error().message(), HasSubstr("'X' is no SE3 at (1)"));
}

}  // namespace
}  // namespace thallo
