// The schedules that every energy has by name.

#include <gmock/gmock.h>

#include "core/problem/choose_schedule.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/plan_print.h"
#include "tests/schedule/readings.h"
#include "tests/support/counted_construct.h"
#include "tests/support/energies.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::scheduled_energy;
using testing::AllOf, testing::HasSubstr;

std::string named(std::string_view name) {
  const auto schedule = named_schedule(name, scheduled_energy(), loaded_constructs());
  return schedule ? schedule->text(loaded_constructs()) : schedule.error().message();
}

Plan plan_named(std::string_view name) {
  return make_plan(scheduled_energy(),
                   *named_schedule(name, scheduled_energy(), loaded_constructs()),
                   loaded_constructs())
      .value();
}

TEST(NamedSchedule, IsInNormalFormAndByDefaultDecidesNothing) {
  EXPECT_EQ(named("default"), "");
  const Plan plan = plan_named("default");
  EXPECT_EQ(to_string(scheduled_energy(), plan),
            to_string(scheduled_energy(), default_plan(scheduled_energy())));
  EXPECT_EQ(plan.parts.size(), 5u) << "a part a group";
  for (const std::string_view name : NamedSchedules) {
    const auto schedule = named_schedule(name, scheduled_energy(), loaded_constructs());
    ASSERT_TRUE(schedule) << schedule.error().message();
    EXPECT_EQ(*schedule, *normal_form(scheduled_energy(), *schedule, loaded_constructs())) << name;
  }
}

TEST(NamedSchedule, PublishedDefaultMergesEqualDimsAndAddsEveryAccessByItself) {
  const Plan plan = plan_named("published-default");
  // The groups over (W, H), that with the Sum among them, and the one over the edges.
  ASSERT_EQ(plan.parts.size(), 2u) << to_string(scheduled_energy(), plan);
  EXPECT_EQ(plan.parts[0].residuals.size(), 1u + 1 + 1 + 3);
  EXPECT_EQ(plan.parts[0].strategy, Strategy::StoredJp) << "the Sum is in it";
  EXPECT_EQ(plan.parts[1].name, "edge");
  EXPECT_EQ(plan.parts[1].strategy, Strategy::JtJp);
  ASSERT_EQ(plan.sums.size(), 1u);
  EXPECT_TRUE(plan.sums[0].is_parallel);
  const auto aggregates = [](std::string_view schedule) {
    const Plan plan = plan_named(schedule);
    return std::ranges::none_of(plan.extensions, [](const PlannedExtension& extension) {
      return extension.construct->name() == "aggregate" && extension.concerns("edge", Role::JtJp);
    });
  };
  EXPECT_FALSE(aggregates("published-default"));
  EXPECT_TRUE(aggregates("default"));
}

TEST(NamedSchedule, OptGathersStencilsAndScattersGraphsAndSums) {
  EnergyBuilder e("chain");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto head = e.map("head", {E}, {N});
  const IndexExpr n = e.domain(N, "n"), edge = e.domain(E, "e");
  e.residual("fit", X(n) - 1.0);
  e.residual("near", X(n) - X(n + 1));
  e.residual("edge", X(head(edge)) - 1.0);
  const Energy energy = test::build(std::move(e));
  const Plan plan =
      make_plan(energy, *named_schedule("opt", energy, loaded_constructs()), loaded_constructs())
          .value();
  ASSERT_EQ(plan.parts.size(), 2u) << to_string(energy, plan);
  for (const Part& part : plan.parts) {
    const ComputeAt where = part.name == "edge" ? ComputeAt::Residual : ComputeAt::Output;
    EXPECT_EQ(part.jtf, where) << part.name;
    EXPECT_EQ(part.jtjp, where) << part.name;
    EXPECT_EQ(part.strategy, Strategy::JtJp);
  }
  for (const Part& part : plan_named("opt").parts) {
    EXPECT_EQ(part.jtf, ComputeAt::Residual) << part.name;
    EXPECT_EQ(part.jtjp, ComputeAt::Residual) << part.name;
  }
}

TEST(NamedSchedule, SumsOfIntermediatesCountAsTheirReadersDo) {
  EnergyBuilder e("blurred");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  const auto blurred = e.intermediate("blurred", std::vector{n}, e.sum({k}, X(n + k) * X(n - k)));
  e.residual("fit", blurred(n) - 1.0);
  const Energy energy = test::build(std::move(e));
  const auto plan_named = [&](std::string_view name) {
    return make_plan(energy, *named_schedule(name, energy, loaded_constructs()),
                     loaded_constructs())
        .value();
  };
  const Plan published = plan_named("published-default");
  EXPECT_EQ(published.parts[0].strategy, Strategy::StoredJp);
  ASSERT_EQ(published.sums.size(), 1U);
  EXPECT_TRUE(published.sums[0].is_parallel);
  EXPECT_EQ(plan_named("opt").parts[0].jtjp, ComputeAt::Residual);
}

TEST(NamedSchedule, AnUnknownNameOrConstructIsAnsweredWithTheNames) {
  EXPECT_THAT(named("optt"), AllOf(HasSubstr("no schedule 'optt'"), HasSubstr("default"),
                                   HasSubstr("opt"), HasSubstr("published-default")));
  const ConstructRegistry none("construct");
  EXPECT_TRUE(named_schedule("default", scheduled_energy(), none));
  const auto schedule = named_schedule("opt", scheduled_energy(), none);
  ASSERT_FALSE(schedule);
  EXPECT_THAT(schedule.error().message(), HasSubstr("split_merge"));
}

// As --schedule is read.
TEST(ChooseSchedule, TakesANameTheTextOrAFile) {
  const auto file = load_energy_text(test::ScheduledText + "r.fit:reorder{y, x}\n", "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  const auto text_of_choice = [&file](const std::string& which) {
    const auto schedule = choose_schedule(which, *file, loaded_constructs());
    return schedule ? schedule->text(loaded_constructs()) : schedule.error().message();
  };
  const std::string own = "r.fit:reorder{h, w}\n";
  EXPECT_EQ(text_of_choice(""), own);
  EXPECT_EQ(text_of_choice("file"), own);
  EXPECT_EQ(text_of_choice("default"), "");
  const test::TempDir folder;
  EXPECT_EQ(text_of_choice(folder.write("a.sched", "r.edge:materializeJ()\n").string()),
            "r.edge:strategy(\"[Jt][[J]p]\")\n");
  EXPECT_THAT(text_of_choice((folder.path() / "absent.sched").string()), HasSubstr("absent.sched"));
  EXPECT_THAT(text_of_choice("publish-default"), HasSubstr("published-default"));
}

TEST(ChooseSchedule, SaysThatATextHasNone) {
  const auto file = load_energy_text(test::ScheduledText, "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_TRUE(choose_schedule("", *file, loaded_constructs())->empty());
  const auto schedule = choose_schedule("file", *file, loaded_constructs());
  ASSERT_FALSE(schedule);
  EXPECT_THAT(schedule.error().message(), HasSubstr("has no schedule"));
}

// To list where a residual could go takes longer, the more parts there are.
TEST(NamedSchedule, MergesManyGroupsWithoutListingThePlacesOfAny) {
  const Energy energy = test::energy_of_groups(30);
  test::AskedCounts asked;
  const ConstructRegistry counted =
      test::counted_constructs({"split_merge", "compute_at_output"}, asked);
  const auto schedule = named_schedule("opt", energy, counted);
  ASSERT_TRUE(schedule) << schedule.error().message();
  const auto plan = make_plan(energy, *schedule, counted);
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->parts.size(), 1u);
  EXPECT_EQ(plan->parts[0].residuals.size(), 30u);
  EXPECT_EQ(plan->parts[0].jtjp, ComputeAt::Output);
  EXPECT_LE(asked.lists, 20u) << "of the two products of the part";
  EXPECT_LE(asked.sites, 10u);
}

}  // namespace
}  // namespace thallo
