// Predictions for instances that are not there.
#include "core/explore/report/what_if.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/backend/choose_device_spec.h"
#include "core/language/load_energy.h"
#include "core/schedule/named_schedules.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::IsEmpty, testing::SizeIs;

// An image of W x H with a stencil, and a window of K taps.
constexpr const char* ImageText = R"(local W, H, K = Dims("W", "H", "K")
Inputs { X = Unknown(float, {W, H}), D = Array(float, {W, H}), T = Array(float, {K}) }
local x, y, k = W(), H(), K()
Residuals { fit = Sum({k}, T(k) * X(x + k, y)) - D(x, y), reg = X(x, y) - X(x + 1, y) * X(x, y + 1) }
)";
// Springs between nodes: edges lead to both of their nodes.
constexpr const char* GraphText = R"(local N, E = Dims("N", "E")
Inputs { X = Unknown(float3, {N}), L = Array(float, {E}), v0 = Sparse({E}, {N}), v1 = Sparse({E}, {N}) }
local n, e = N(), E()
local d = X(v0(e)) - X(v1(e))
Residuals { spring = dot(d, d) - L(e), near = 0.1 * X(n) }
)";

Energy energy_of(const char* text) {
  return std::move(load_energy_text(text, "what_if.lua").value().energy);
}

Binding image(const Energy& energy, std::int64_t width, std::int64_t height) {
  const auto points = static_cast<std::size_t>(width * height);
  return test::bind(energy, {.extents = {{"W", width}, {"H", height}, {"K", 5}},
                             .fields = {{"X", std::vector<double>(points)},
                                        {"D", std::vector<double>(points)},
                                        {"T", std::vector<double>(5)}}});
}

// A ring of nodes.
Binding ring(const Energy& energy, std::int32_t nodes) {
  const auto count = static_cast<std::size_t>(nodes);
  std::vector<std::int32_t> here(count), there(count);
  std::iota(here.begin(), here.end(), 0);
  for (std::size_t i = 0; i < count; ++i) there[i] = (here[i] + 1) % nodes;
  return test::bind(
      energy, {.extents = {{"N", nodes}, {"E", nodes}},
               .fields = {{"X", std::vector<double>(3 * count)}, {"L", std::vector<double>(count)}},
               .maps = {{"v0", here}, {"v1", there}}});
}

struct Case {
  Energy energy;
  Binding binding;
  DeviceSpec device = named_device_spec("h200", "cuda").value();

  WhatIfTarget target() const { return target_of(binding); }
  static WhatIfTarget target_of(const Binding& instance) {
    return {.binding = instance, .memory_limit = std::int64_t{1} << 32};
  }
  std::vector<NamedPlan> plans() const {
    std::vector<NamedPlan> plans;
    for (const std::string_view name : NamedSchedules) {
      const Schedule schedule = named_schedule(name, energy, loaded_constructs()).value();
      plans.push_back(
          {std::string(name), make_plan(energy, schedule, loaded_constructs()).value()});
    }
    return plans;
  }
  double estimate(const Binding& instance, const Plan& plan) const {
    return PlanPricer(energy, instance, {}, device).estimated_seconds(plan);
  }
  double seconds(const Binding& instance, const Plan& plan) const {
    return price_plan(energy, plan, instance, {}, device).prediction.nonlinear_iteration;
  }
};

Case image_case(std::int64_t width, std::int64_t height) {
  Energy energy = energy_of(ImageText);
  Binding binding = image(energy, width, height);
  return {std::move(energy), std::move(binding)};
}

Case graph_case(std::int32_t nodes) {
  Energy energy = energy_of(GraphText);
  Binding binding = ring(energy, nodes);
  return {std::move(energy), std::move(binding)};
}

const WhatIfPoint& point_of(const WhatIf& what_if, double factor) {
  return *std::ranges::find(what_if.points, factor, &WhatIfPoint::factor);
}

TEST(ScaledInstance, GrowsWhatUnknownsAreOverAndWhatMapsLeadFrom) {
  const Case image = image_case(64, 32);
  const Binding larger = scaled_instance(image.energy, image.binding, {}, 4).binding;
  EXPECT_EQ(larger.extent(image.energy.find_dim("W")), 128);
  EXPECT_EQ(larger.extent(image.energy.find_dim("H")), 64);
  EXPECT_EQ(larger.extent(image.energy.find_dim("K")), 5);
  const Case graph = graph_case(100);
  const auto maps = map_statistics(graph.energy, graph.binding);
  const ScaledInstance four = scaled_instance(graph.energy, graph.binding, maps, 4);
  EXPECT_EQ(four.binding.extent(graph.energy.find_dim("N")), 400);
  EXPECT_EQ(four.binding.extent(graph.energy.find_dim("E")), 400);
  for (const auto& [map, statistics] : four.maps) {
    EXPECT_EQ(statistics.points, 400);
    EXPECT_EQ(statistics.elements, 400);
  }
}

TEST(WhatIf, PredictsWhatIsPredictedForAnInstanceOfThatSize) {
  const auto compare = [](const Case& small, const Case& large, double factor) {
    const auto plans = small.plans();
    const WhatIf result = what_if(small.energy, loaded_constructs(), plans, small.target(),
                                  small.device, WhatIfAxis::Points)
                              .value();
    const WhatIfPoint& there = point_of(result, factor);
    const WhatIfPoint& here = point_of(result, 1);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      EXPECT_DOUBLE_EQ(here.seconds[i], small.seconds(small.binding, plans[i].plan));
      const double growth = small.estimate(large.binding, plans[i].plan) /
                            small.estimate(small.binding, plans[i].plan);
      EXPECT_NEAR(there.seconds[i] / here.seconds[i] / growth, 1, 0.01) << plans[i].name;
    }
    EXPECT_EQ(there.num_unknowns, large.binding.num_unknowns(large.energy));
    ASSERT_TRUE(there.chosen);
    // What auto weighs is what the named schedules are among.
    EXPECT_LE(there.chosen->seconds, 1.001 * std::ranges::min(there.seconds));
  };
  compare(image_case(512, 256), image_case(1024, 512), 4);
  compare(graph_case(4096), graph_case(65536), 16);
}

TEST(WhatIf, LeavesOutSizesAtWhichNothingIsLeft) {
  const Case image = image_case(8, 8);
  const WhatIf result = what_if(image.energy, loaded_constructs(), image.plans(), image.target(),
                                image.device, WhatIfAxis::Points)
                            .value();
  EXPECT_EQ(result.points.front().factor, 1.0 / 16);
}

TEST(WhatIf, VariesLinearIterations) {
  const Case image = image_case(256, 256);
  const WhatIf result = what_if(image.energy, loaded_constructs(), image.plans(), image.target(),
                                image.device, WhatIfAxis::LinearIterations)
                            .value();
  EXPECT_EQ(point_of(result, 1).linear_iterations, 10);
  EXPECT_EQ(point_of(result, 4).linear_iterations, 40);
  const double once = point_of(result, 2).seconds[0] - point_of(result, 1).seconds[0];
  const double twice = point_of(result, 4).seconds[0] - point_of(result, 2).seconds[0];
  EXPECT_NEAR(twice / once, 2, 1e-6);
}

TEST(WhatIf, FindsWhereAnotherPlanBecomesTheFastest) {
  const Case image = image_case(64, 64);
  const WhatIf result = what_if(image.energy, loaded_constructs(), image.plans(), image.target(),
                                image.device, WhatIfAxis::Points)
                            .value();
  std::size_t changes = 0;
  for (std::size_t i = 0; i + 1 < result.points.size(); ++i) {
    const WhatIfPoint &a = result.points[i], &b = result.points[i + 1];
    if (a.fastest() == b.fastest()) continue;
    const Crossover& crossover = result.crossovers.at(changes++);
    EXPECT_EQ(crossover.from, a.fastest());
    EXPECT_EQ(crossover.to, b.fastest());
    EXPECT_GE(crossover.factor, a.factor);
    EXPECT_LE(crossover.factor, b.factor);
  }
  EXPECT_THAT(result.crossovers, SizeIs(changes));
}

TEST(WhatIf, HasTheTimesOfADevice) {
  const Case image = image_case(64, 64);
  const auto plans = image.plans();
  const auto times = times_on(image.device, image.energy, plans, image.target());
  ASSERT_EQ(times.size(), plans.size());
  EXPECT_EQ(times[1], image.seconds(image.binding, plans[1].plan));
}

TEST(WhatIf, EndsWhenAsked) {
  const Case image = image_case(64, 64);
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(what_if(image.energy, loaded_constructs(), image.plans(), image.target(),
                      image.device, WhatIfAxis::Points, source.get_token())
                  .value()
                  .points,
              IsEmpty());
}

}  // namespace
}  // namespace thallo
