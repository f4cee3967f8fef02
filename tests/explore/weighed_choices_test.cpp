// The prices of all that a schedule could decide otherwise.

#include "core/explore/space/weighed_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::scheduled_energy;
using ::testing::ElementsAre;
using ::testing::Optional;

struct Weighed {
  explicit Weighed(const std::string& text, const PlanPrice& price) {
    const auto statements = load_schedule_text(text, "test.sched");
    const Schedule schedule =
        read_schedule(scheduled_energy(), statements.value(), loaded_constructs()).value();
    sites =
        list_choices(scheduled_energy(), schedule, loaded_constructs(), Precision::Float).value();
    choices =
        weigh_choices(scheduled_energy(), schedule, sites, loaded_constructs(), price).value();
  }
  const std::vector<std::optional<double>>& at(std::string_view construct, std::string_view name) {
    const auto found = std::ranges::find_if(sites, [&](const ChoiceSite& at) {
      return at.construct->name() == construct && at.site.name == name;
    });
    return choices.sites.at(static_cast<std::size_t>(found - sites.begin()));
  }

  std::vector<ChoiceSite> sites;
  WeighedChoices choices;
};

double num_stored(const Plan& plan) {
  double stored = 0;
  for (const Materialization& m : plan.intermediates) stored += m.value + 10 * m.gradient;
  for (const Part& part : plan.parts)
    stored += 100 * stores_j(part.strategy) + 1000 * stores_jtj(part.strategy);
  return stored;
}

TEST(WeighedChoices, ChangeOneDecisionAndKeepTheOthers) {
  Weighed weighed("shade:materialize{value=true, gradient=false} r.fit:strategy('[JtJ]p')",
                  num_stored);
  EXPECT_EQ(weighed.choices.chosen, 1001);
  EXPECT_THAT(weighed.at("materialize", "shade"), ElementsAre(1000, 1001, 1010, 1011));
  EXPECT_THAT(weighed.at("strategy", "fit"), ElementsAre(1, 1, 1001, 101, 1101));
  EXPECT_THAT(weighed.at("strategy", "edge"), ElementsAre(1001, 1001, 2001, 1101, 2101));
}

TEST(WeighedChoices, SayWhatChangesNumerics) {
  Weighed weighed("r.edge:strategy('[Jt][[J]p]')", num_stored);
  const auto found = std::ranges::find_if(weighed.sites, [](const ChoiceSite& at) {
    return at.construct->name() == "precision" && at.site.name == "edge.J";
  });
  ASSERT_NE(found, weighed.sites.end());
  // In float, single precision is the working one.
  EXPECT_THAT(
      weighed.choices.change_numerics[static_cast<std::size_t>(found - weighed.sites.begin())],
      ElementsAre(false, false, true));
}

TEST(WeighedChoices, LeaveOutWhatIsNotPossibleBesideTheOther) {
  // Without a stored J there is no format of it.
  Weighed weighed("r.edge:strategy('[Jt][[J]p]') r.edge.J:storage('csr')", [](const Plan& plan) {
    const Part* edge = find_part(plan, "edge");  // not there where it is split
    return edge == nullptr ? -1 : static_cast<double>(edge->j_format);
  });
  const double csr = static_cast<double>(StorageFormat::Csr);
  const double structured = static_cast<double>(StorageFormat::Structured);
  EXPECT_THAT(weighed.at("strategy", "edge"),
              ElementsAre(structured, structured, structured, csr, csr));
}

TEST(WeighedChoices, GiveThePriceOfWhatIsLegalAlone) {
  Weighed weighed("r.edge:strategy('[Jt][[J]p]')", num_stored);
  int num_illegal = 0;
  for (std::size_t s = 0; s < weighed.sites.size(); ++s) {
    const std::vector<Alternative>& alternatives = weighed.sites[s].alternatives;
    ASSERT_EQ(weighed.choices.sites.at(s).size(), alternatives.size());
    for (std::size_t a = 0; a < alternatives.size(); ++a) {
      EXPECT_EQ(weighed.choices.sites[s][a].has_value(), alternatives[a].legal.has_value());
      num_illegal += !alternatives[a].legal.has_value();
    }
    EXPECT_THAT(weighed.choices.sites[s][weighed.sites[s].chosen],
                Optional(weighed.choices.chosen));
  }
  EXPECT_GT(num_illegal, 0);
}

}  // namespace
}  // namespace thallo
