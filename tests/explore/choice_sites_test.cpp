// What a schedule decides at every site, and what it could decide there.

#include "core/explore/space/choice_sites.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/energy/builder.h"
#include "core/search/schedule_space.h"
#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::schedule_from;
using test::scheduled_energy;
using ::testing::HasSubstr;

std::vector<ChoiceSite> choices_of(const Schedule& schedule) {
  return list_choices(scheduled_energy(), schedule, loaded_constructs(), Precision::Float).value();
}

const ChoiceSite* find_site(const std::vector<ChoiceSite>& sites, std::string_view construct,
                            std::string_view site) {
  for (const ChoiceSite& at : sites) {
    if (at.construct->name() == construct && at.site.name == site) return &at;
  }
  return nullptr;
}

// What is chosen at the sites, where it is not the default, is the schedule.
TEST(ChoiceSites, ChooseWhatTheScheduleSays) {
  const ScheduleSpace space(scheduled_energy(), loaded_constructs());
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Schedule schedule = space.sample(seed).schedule;
    std::vector<Directive> chosen;
    Stage last = Stage::Partition;
    for (const ChoiceSite& at : choices_of(schedule)) {
      EXPECT_LE(last, at.construct->stage());
      last = at.construct->stage();
      const Alternative& alternative = at.alternatives.at(at.chosen);
      EXPECT_TRUE(alternative.legal);
      if (at.chosen == 0) continue;
      chosen.push_back({std::string(at.construct->name()), at.site, alternative.choice});
      EXPECT_THAT(schedule.text(loaded_constructs()), HasSubstr(at.text(alternative) + "\n"));
    }
    EXPECT_EQ(Schedule(chosen), schedule);
  }
}

TEST(ChoiceSites, FollowFromTheDecisionsBeforeThemInALegalSchedule) {
  const auto by_default = choices_of({});
  EXPECT_EQ(find_site(by_default, "storage", "fit.J"), nullptr) << "nothing is stored";
  const auto stored =
      choices_of(schedule_from("r.fit:strategy('[Jt][[J]p]') r.fit.Jt:compute_at_output(true)"));
  const ChoiceSite* format = find_site(stored, "storage", "fit.J");
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->chosen, 0u);
  ASSERT_EQ(format->alternatives.size(), 4u);
  EXPECT_FALSE(format->alternatives[1].legal);
  EXPECT_THAT(format->alternatives[1].legal.error().what, HasSubstr("gathered at the output"));
  const Schedule illegal({{"strategy", {SiteKind::Part, "fit"}, {"JJp", {}}}});
  const auto sites =
      list_choices(scheduled_energy(), illegal, loaded_constructs(), Precision::Float);
  ASSERT_FALSE(sites);
  EXPECT_THAT(sites.error().what, HasSubstr("strategy of r.fit cannot be 'JJp'"));
}

TEST(ChoiceSites, ShowWhatIsChosenEvenIfItIsNotListed) {
  EnergyBuilder e("six");
  std::vector<DimId> dims;
  std::vector<IndexExpr> point;
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) {
    dims.push_back(e.dim(name));
    point.push_back(e.domain(dims.back()));
  }
  e.residual("r", e.unknown("X", dims).at(point));
  const Energy energy = *std::move(e).build();
  const Choice backwards{"f, e, d, c, b, a", {}};
  const auto sites = list_choices(energy, Schedule({{"reorder", {SiteKind::Part, "r"}, backwards}}),
                                  loaded_constructs(), Precision::Float);
  ASSERT_TRUE(sites) << sites.error().message();
  const ChoiceSite* order = find_site(*sites, "reorder", "r");
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->alternatives.size(), 7u);
  EXPECT_EQ(order->alternatives.at(order->chosen).choice, backwards);
}

}  // namespace
}  // namespace thallo
