// What several sites decide together: which items are in one group.

#include "core/explore/space/groups.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/schedule/plan_names.h"
#include "core/search/schedule_space.h"
#include "tests/schedule/readings.h"
#include "tests/support/edited_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::schedule_from;
using test::scheduled_energy;
using ::testing::ElementsAre;

const Construct& split_merge() { return *loaded_constructs().find("split_merge"); }

std::vector<ChoiceSite> sites_of(const Schedule& schedule,
                                 const ConstructRegistry& constructs = loaded_constructs()) {
  return list_choices(scheduled_energy(), schedule, constructs, Precision::Float).value();
}

const std::vector<std::string> Edges = {"edge[1]", "edge[2]", "edge[3]"};  // a float3

// After all residuals were put into these groups.
Expected<EditedSchedule> regrouped(const Schedule& schedule, const Groups& wanted) {
  const auto directives =
      regroup_from(scheduled_energy(), split_merge(), sites_of(schedule), wanted);
  if (!directives) return fail(directives.error());
  return edit(scheduled_energy(), schedule, *directives, loaded_constructs());
}

Groups members_of(const Plan& plan) {
  Groups groups;
  for (const Part& part : plan.parts) {
    groups.emplace_back();
    for (const ResidualRef residual : part.residuals)
      groups.back().push_back(residual_name(scheduled_energy(), residual));
  }
  return groups;
}

TEST(Groups, ArePartsOfThePlanOrWhatOneAsksFor) {
  const ScheduleSpace space(scheduled_energy(), loaded_constructs());
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto sample = space.sample(seed);
    EXPECT_EQ(groups_of(split_merge(), sites_of(sample.schedule)), members_of(sample.plan));
  }
  // From any parts to any others.
  const std::vector<std::string> over_pixels = {"anchor[1]", "blur[1]", "fit[1]",
                                                "near[1]",   "near[2]", "near[3]"};
  Random random(7);
  Schedule schedule;
  for (int round = 0; round < 50; ++round) {
    std::map<std::size_t, std::vector<std::string>> drawn;
    for (const std::string& residual : over_pixels) drawn[random.below(4)].push_back(residual);
    Groups wanted = {Edges};
    for (const auto& [number, group] : drawn) wanted.push_back(group);
    auto edited = regrouped(schedule, wanted);
    ASSERT_TRUE(edited) << edited.error().message();
    std::ranges::sort(wanted);
    EXPECT_EQ(members_of(edited->plan), wanted);
    schedule = std::move(edited->schedule);
  }
}

// Its successor, which without a word goes where it goes, stays where it is.
TEST(Groups, OneItemIsMovedAlone) {
  const auto edited = regrouped(
      {}, {{"anchor[1]"}, {"blur[1]"}, Edges, {"fit[1]", "near[2]"}, {"near[1]", "near[3]"}});
  ASSERT_TRUE(edited) << edited.error().message();
  EXPECT_EQ(edited->schedule.text(loaded_constructs()),
            "r.near:split_merge{[2]=\"fit[1]\"}\nr.near:split_merge{[3]=\"near[1]\"}\n");
  const Groups groups = {{"fit[1]"}, {"near[1]", "near[2]", "near[3]"}};
  EXPECT_EQ(moved(groups, "near[2]", {{"new", {}}, {}}),
            (Groups{{"fit[1]"}, {"near[1]", "near[3]"}, {"near[2]"}}));
  EXPECT_EQ(moved(groups, "near[1]", {{"with fit[1]", {}}, {"fit[1]"}}),
            (Groups{{"fit[1]", "near[1]"}, {"near[2]", "near[3]"}}));
  EXPECT_EQ(moved({{"fit[1]"}, {"near[1]"}}, "near[1]", {{"with fit[1]", {}}, {"fit[1]"}}),
            (Groups{{"fit[1]", "near[1]"}}));
}

TEST(Groups, KeepWhatTheScheduleSaysOfPartsThatAreLeft) {
  const auto edited =
      regrouped(schedule_from("r.edge:strategy('Jt[Jp]') r.fit:strategy('Jt[Jp]')"),
                {{"anchor[1]"}, {"blur[1]"}, Edges, {"near[1]", "near[2]", "near[3]", "fit[1]"}});
  ASSERT_TRUE(edited) << edited.error().message();
  EXPECT_EQ(edited->schedule.text(loaded_constructs()),
            "r.near:split_merge{[1]=\"fit[1]\"}\nr.edge:strategy(\"Jt[Jp]\")\n");
  ASSERT_EQ(edited->dropped.size(), 1u);
  EXPECT_EQ(edited->dropped[0].directive.site.name, "fit");
}

TEST(Groups, AreRefusedWithTheReason) {
  const auto edited = regrouped({}, {{"anchor[1]", "edge[1]", "edge[2]", "edge[3]"},
                                     {"blur[1]"},
                                     {"fit[1]"},
                                     {"near[1]", "near[2]", "near[3]"}});
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().what,
            "split_merge: edge[1] cannot be with anchor[1]: they run over different dims, (e) and "
            "(w, h)");
}

TEST(Groups, AreThoseOfConstructsNeverHeardOf) {
  ConstructRegistry constructs("construct");
  for (auto& construct : test::make_edited_constructs()) {
    std::string name(construct->name());
    ASSERT_TRUE(constructs.add(std::move(name), std::move(construct), "test (1.0.0)"));
  }
  const Construct& cluster = *constructs.find("cluster");
  const auto clustered = [&](const Schedule& schedule, const Groups& wanted) -> Expected<Groups> {
    const auto directives =
        regroup_from(scheduled_energy(), cluster, sites_of(schedule, constructs), wanted);
    if (!directives) return fail(directives.error());
    const auto edited = edit(scheduled_energy(), schedule, *directives, constructs);
    return groups_of(cluster, sites_of(edited.value().schedule, constructs));
  };
  EXPECT_THAT(groups_of(cluster, sites_of({}, constructs)),
              ElementsAre(ElementsAre("anchor"), ElementsAre("blur"), ElementsAre("edge"),
                          ElementsAre("fit"), ElementsAre("near")));
  const Groups pairs = {{"anchor", "near"}, {"blur"}, {"edge", "fit"}};
  EXPECT_EQ(clustered({}, pairs).value(), pairs);
  const auto refused = clustered({}, {{"anchor", "blur", "edge"}, {"fit"}, {"near"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "cluster of r.edge cannot be 'with anchor': two are enough");
}

}  // namespace
}  // namespace thallo
