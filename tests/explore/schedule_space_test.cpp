// All schedules of an energy: walked in a fixed order, counted, drawn.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/language/load_energy.h"
#include "core/schedule/plan_print.h"
#include "core/search/schedule_space.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;

// The energy of a text whose unknown is X over N, its array A.
Energy energy_of(const std::string& residuals) {
  auto file = load_energy_text(
      "local N = Dims('N')\n"
      "Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }\n"
      "local n = N()\n" +
          residuals,
      "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(file->energy);
}

std::vector<std::string> walked(const Energy& energy) {
  std::vector<std::string> texts;
  ScheduleSpace(energy, loaded_constructs()).visit([&](const Schedule& schedule, const Plan&) {
    texts.push_back(schedule.text(loaded_constructs()));
    return true;
  });
  return texts;
}

// Of one residual, JtF is scattered or gathered, and JtJp is one of: nothing stored, scattered or
// gathered; Jp stored, Jt scattered or gathered; J stored in one of three formats, Jt scattered, or
// structured and gathered; JtJ in three formats; JtJ in three of a structured J, or dense of two
// others.
TEST(ScheduleSpace, HasEveryCombinationOnceInOrder) {
  const Energy energy = energy_of("Residuals { fit = X(n) - A(n) }");
  const std::vector<std::string> texts = walked(energy);
  EXPECT_EQ(texts.size(), 2u * (2 + 2 + (3 + 1) + 4 + (4 + 4 + 1)));
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
  EXPECT_EQ(texts.front(), "") << "the default first";
  EXPECT_EQ(walked(energy), texts) << "in a fixed order";
  // Apart, each group has its own choices; merged, they share them.
  const Energy one = energy_of("Residuals { fit = X(n) - A(n) }");
  const Energy two = energy_of("Residuals { fit = X(n) - A(n), far = X(n) - X(n + 1) }");
  const auto single = static_cast<std::int64_t>(walked(one).size());
  EXPECT_EQ(ScheduleSpace(two, loaded_constructs()).count(100000), single * single + single);
}

TEST(ScheduleSpace, CountsWhatAWalkVisitsUpToALimitOrUntilItIsTold) {
  Energy energy = energy_of(
      "shade = A(n) * X(n)^2\n"
      "Residuals { fit = shade:get(n) - shade:get(n + 1) }");
  const ScheduleSpace space(energy, loaded_constructs());
  const auto size = static_cast<std::int64_t>(walked(energy).size());
  EXPECT_EQ(space.count(1'000'000), size);
  EXPECT_EQ(space.count(7), 7);
  EXPECT_EQ(space.count(size), size);
  energy = energy_of("Residuals { fit = X(n) - A(n) }");
  int visited = 0;
  EXPECT_FALSE(space.visit([&](const Schedule&, const Plan&) { return ++visited < 3; }));
  EXPECT_EQ(visited, 3);
  EXPECT_TRUE(space.visit([](const Schedule&, const Plan&) { return true; }));
}

TEST(ScheduleSpace, VisitsLegalSchedulesWithTheirPlans) {
  const Energy energy = energy_of("Residuals { fit = X(n) - A(n), far = X(n) - X(n + 1) }");
  ScheduleSpace(energy, loaded_constructs()).visit([&](const Schedule& schedule, const Plan& plan) {
    const auto made = make_plan(energy, schedule, loaded_constructs());
    EXPECT_TRUE(made) << made.error().message();
    if (!made) return false;
    EXPECT_EQ(to_string(energy, plan), to_string(energy, *made));
    EXPECT_EQ(*normal_form(energy, schedule, loaded_constructs()), schedule);
    return !testing::Test::HasFailure();
  });
}

// One chunk is no choice.
TEST(ScheduleSpace, DrawsBlockedVectorsWhereElementsHaveSeveralChunks) {
  const auto num_blocked = [](const char* type) {
    auto file = load_energy_text(fmt::format("local N = Dims('N')\n"
                                             "Inputs {{ X = Unknown({}, {{N}}) }}\n"
                                             "local n = N()\n"
                                             "Residuals {{ fit = X(n) - X(n + 1) }}",
                                             type),
                                 "test.lua");
    if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
    const ScheduleSpace space(file->energy, loaded_constructs());
    int count = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
      count += space.sample(seed).plan.vector_order == VectorOrder::Blocked ? 1 : 0;
    return count;
  };
  for (const char* type : {"float", "float2", "float4"}) EXPECT_EQ(num_blocked(type), 0) << type;
  for (const char* type : {"float3", "float6", "float9"}) EXPECT_GT(num_blocked(type), 4) << type;
}

// What is no less than the working precision is the same as that.
TEST(ScheduleSpace, DrawsSinglePrecisionBelowDoubleAlone) {
  const Energy energy = energy_of("Residuals { fit = X(n) - A(n) }");
  const auto num_single = [&energy](Precision precision, ScalarType Plan::*type) {
    const ScheduleSpace space(energy, loaded_constructs(), precision);
    int count = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      count += space.sample(seed).plan.*type == ScalarType::Float ? 1 : 0;
    return count;
  };
  EXPECT_EQ(num_single(Precision::Float, &Plan::vector_type), 0);
  EXPECT_GT(num_single(Precision::Double, &Plan::vector_type), 10);
}

// With so many sites of stored products that almost every schedule would have one in less.
TEST(ScheduleSpace, DrawsWhatLoosensTheBoundOfProductsInOneScheduleOfFour) {
  const Energy energy = energy_of(
      "Residuals { a = X(n) - A(n), b = X(n) - X(n + 1), c = X(n) - X(n + 2), d = X(n) - X(n + 3),"
      " e = X(n) - X(n + 4), f = X(n) - X(n + 5) }");
  const ScheduleSpace space(energy, loaded_constructs(), Precision::Double);
  int num_loose = 0;
  int num_of_other_low_level = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const ScheduleSpace::Sample sample = space.sample(seed);
    num_loose += sample.plan.product_tolerance > 0 ? 1 : 0;
    num_of_other_low_level +=
        std::ranges::count(sample.schedule.directives(), "block", &Directive::construct) > 0 ? 1
                                                                                             : 0;
  }
  EXPECT_GT(num_loose, 25);
  EXPECT_LT(num_loose, 75);
  EXPECT_GT(num_of_other_low_level, 190) << "nothing else is drawn seldom";
}

TEST(ScheduleSpace, DrawsTheLowLevelStageOfWalkedSchedules) {
  const Energy energy = energy_of("Residuals { fit = X(n) - A(n), far = X(n) - X(n + 1) }");
  const ScheduleSpace space(energy, loaded_constructs());
  std::uint64_t seed = 0;
  int num_completed = 0;
  space.visit([&](const Schedule& schedule, const Plan& plan) {
    const ScheduleSpace::Sample sample = space.complete(schedule, plan, ++seed);
    const std::vector<Directive>& directives = sample.schedule.directives();
    const auto num_walked = static_cast<std::ptrdiff_t>(schedule.directives().size());
    EXPECT_TRUE(std::equal(schedule.directives().begin(), schedule.directives().end(),
                           directives.begin(), directives.begin() + num_walked));
    for (const Directive& directive : std::span(directives).subspan(schedule.directives().size()))
      EXPECT_EQ(loaded_constructs().find(directive.construct)->stage(), Stage::LowLevel);
    const auto made = make_plan(energy, sample.schedule, loaded_constructs());
    EXPECT_TRUE(made) << made.error().message();
    if (!made) return false;
    EXPECT_EQ(to_string(energy, sample.plan), to_string(energy, *made));
    EXPECT_EQ(sample.schedule, space.complete(schedule, plan, seed).schedule);
    num_completed += directives.size() > schedule.directives().size() ? 1 : 0;
    return seed < 40 && !testing::Test::HasFailure();
  });
  EXPECT_GT(num_completed, 30);
}

TEST(ScheduleSpace, DrawsTheSameScheduleForTheSameSeed) {
  const Energy energy = energy_of("Residuals { fit = X(n) - A(n), far = X(n) - X(n + 1) }");
  const ScheduleSpace space(energy, loaded_constructs());
  const ScheduleSpace again(energy, loaded_constructs());
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ScheduleSpace::Sample sample = space.sample(seed);
    EXPECT_EQ(sample.schedule, again.sample(seed).schedule);
    const auto plan = make_plan(energy, sample.schedule, loaded_constructs());
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_EQ(to_string(energy, sample.plan), to_string(energy, *plan));
    drawn.insert(sample.schedule.text(loaded_constructs()));
  }
  EXPECT_GT(drawn.size(), 30u);
}

}  // namespace
}  // namespace thallo
