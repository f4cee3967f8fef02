// The prices of all that a schedule could decide otherwise.

#include "core/explore/space/weighed_choices.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <stop_token>
#include <string>

#include "core/explore/space/guide.h"
#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::scheduled_energy;
using ::testing::ElementsAre;

struct Weighed {
  explicit Weighed(const std::string& text, const PlanPrice& price,
                   WeighingLimits limits = {100'000, 100'000}) {
    const auto statements = load_schedule_text(text, "test.sched");
    const Schedule schedule =
        read_schedule(scheduled_energy(), statements.value(), loaded_constructs()).value();
    sites =
        list_choices(scheduled_energy(), schedule, loaded_constructs(), Precision::Float).value();
    choices = weigh_choices(scheduled_energy(), schedule, sites, loaded_constructs(), price, limits)
                  .value();
  }
  // The seconds of each alternative; none where it is not legal.
  std::vector<std::optional<double>> at(std::string_view construct, std::string_view name) {
    const auto found = std::ranges::find_if(sites, [&](const ChoiceSite& at) {
      return at.construct->name() == construct && at.site.name == name;
    });
    std::vector<std::optional<double>> times;
    for (const WeighedAlternative& its :
         choices.sites.at(static_cast<std::size_t>(found - sites.begin())))
      times.push_back(its.cost ? std::optional(its.cost->seconds) : std::nullopt);
    return times;
  }

  std::vector<ChoiceSite> sites;
  WeighedChoices choices;
};

PlanPrice seconds_by(double (*price)(const Plan&)) {
  const auto cost = [price](const Plan& plan) {
    return PlanCost{.seconds = price(plan), .linear = 0, .bytes = 1};
  };
  return {.price = cost, .estimate = cost};
}

double num_stored(const Plan& plan) {
  double stored = 0;
  for (const Materialization& m : plan.intermediates) stored += m.value + 10 * m.gradient;
  for (const Part& part : plan.parts)
    stored += 100 * stores_j(part.strategy) + 1000 * stores_jtj(part.strategy);
  return stored;
}

TEST(WeighedChoices, ChangeOneDecisionAndSayWhatChangesNumerics) {
  Weighed weighed("shade:materialize{value=true, gradient=false} r.fit:strategy('[JtJ]p')",
                  seconds_by(num_stored));
  EXPECT_EQ(weighed.choices.chosen.seconds, 1001);
  EXPECT_THAT(weighed.at("materialize", "shade"), ElementsAre(1000, 1001, 1010, 1011));
  EXPECT_THAT(weighed.at("strategy", "fit"), ElementsAre(1, 1, 1001, 101, 1101));
  EXPECT_THAT(weighed.at("strategy", "edge"), ElementsAre(1001, 1001, 2001, 1101, 2101));
  weighed = Weighed("r.edge:strategy('[Jt][[J]p]')", seconds_by(num_stored));
  const auto found = std::ranges::find_if(weighed.sites, [](const ChoiceSite& at) {
    return at.construct->name() == "precision" && at.site.name == "edge.J";
  });
  ASSERT_NE(found, weighed.sites.end());
  // In float, single precision is the working one.
  std::vector<bool> changes;
  for (const WeighedAlternative& its :
       weighed.choices.sites[static_cast<std::size_t>(found - weighed.sites.begin())])
    changes.push_back(its.changes_numerics);
  EXPECT_THAT(changes, ElementsAre(false, false, true));
}

TEST(WeighedChoices, LeaveOutWhatIsNotPossibleBesideTheOther) {
  // Without a stored J there is no format of it.
  Weighed weighed("r.edge:strategy('[Jt][[J]p]') r.edge.J:storage('csr')",
                  seconds_by([](const Plan& plan) {
                    const Part* edge = find_part(plan, "edge");  // not there where it is split
                    return edge == nullptr ? -1 : static_cast<double>(edge->j_format);
                  }));
  const double csr = static_cast<double>(StorageFormat::Csr);
  const double structured = static_cast<double>(StorageFormat::Structured);
  EXPECT_THAT(weighed.at("strategy", "edge"),
              ElementsAre(structured, structured, structured, csr, csr));
}

TEST(WeighedChoices, GiveThePriceOfWhatIsLegalAlone) {
  Weighed weighed("r.edge:strategy('[Jt][[J]p]')", seconds_by(num_stored));
  int num_illegal = 0;
  for (std::size_t s = 0; s < weighed.sites.size(); ++s) {
    const std::vector<Alternative>& alternatives = weighed.sites[s].alternatives;
    ASSERT_EQ(weighed.choices.sites.at(s).size(), alternatives.size());
    for (std::size_t a = 0; a < alternatives.size(); ++a) {
      const WeighedAlternative& its = weighed.choices.sites[s][a];
      EXPECT_EQ(its.cost.has_value(), alternatives[a].legal.has_value() && !its.why_not);
      EXPECT_EQ(its.cost.has_value(), !its.hash.empty());
      num_illegal += !alternatives[a].legal.has_value();
    }
    EXPECT_EQ(weighed.choices.sites[s][weighed.sites[s].chosen].cost->seconds,
              weighed.choices.chosen.seconds);
  }
  EXPECT_GT(num_illegal, 0);
}

TEST(WeighedChoices, GiveTheMovesThatGainBestFirst) {
  Weighed weighed("shade:materialize{value=true, gradient=true} r.edge:strategy('[Jt][[J]p]')",
                  seconds_by(num_stored));
  const std::vector<const WeighedAlternative*> moves = next_moves(weighed.choices);
  ASSERT_FALSE(moves.empty());
  double before = 0;
  std::set<std::string> hashes;
  for (const WeighedAlternative* its : moves) {
    EXPECT_LT(its->cost->seconds, weighed.choices.chosen.seconds);
    EXPECT_GE(its->cost->seconds, before);
    EXPECT_TRUE(hashes.insert(its->hash).second) << "the same schedule twice";
    before = its->cost->seconds;
  }
  // Not storing J saves 100, the value and the gradient 11 together.
  EXPECT_EQ(moves.front()->cost->seconds, 11);
  ASSERT_FALSE(moves.front()->directives.empty());
  EXPECT_EQ(moves.front()->directives.front().construct, "strategy");
}

double num_parts(const Plan& plan) { return static_cast<double>(plan.parts.size()); }

// One residual of two scalars moves as a whole, though each of them has a site.
TEST(WeighedChoices, MergeWholeParts) {
  Weighed weighed("", seconds_by(num_parts));
  const auto merge = std::ranges::find_if(weighed.choices.merges, [](const WeighedMerge& its) {
    return its.other.front() == "near[1]";
  });
  ASSERT_NE(merge, weighed.choices.merges.end());
  EXPECT_EQ(merge->construct->name(), "split_merge");
  EXPECT_THAT(merge->other, ElementsAre("near[1]", "near[2]", "near[3]"));
  EXPECT_EQ(merge->groups.size() + 1, weighed.choices.chosen.seconds);
  EXPECT_EQ(merge->its.cost->seconds + 1, weighed.choices.chosen.seconds);
  EXPECT_EQ(
      num_parts(make_plan(scheduled_energy(), merge->its.schedule, loaded_constructs()).value()),
      merge->its.cost->seconds);
}

TEST(WeighedChoices, StopAtTheirBound) {
  const Weighed all("", seconds_by(num_stored));
  const Weighed some("", seconds_by(num_stored),
                     {.weighed = 3, .priced = 3, .priced_low_level = 3});
  std::size_t num_all = all.choices.merges.size(), num_some = some.choices.merges.size();
  for (std::size_t s = 0; s < all.sites.size(); ++s) {
    for (std::size_t a = 0; a < all.sites[s].alternatives.size(); ++a) {
      if (a == all.sites[s].chosen) continue;
      num_all += all.choices.sites[s][a].cost.has_value();
      num_some += some.choices.sites[s][a].cost.has_value();
    }
  }
  EXPECT_EQ(all.choices.left_out, 0u);
  EXPECT_LE(num_some, 6u);
  EXPECT_GE(num_some, 3u);
  EXPECT_GE(some.choices.left_out, num_all - 6);
}

TEST(Guide, TakesOneDecisionAfterTheOtherUntilNothingHelps) {
  const auto statements = load_schedule_text(
      "shade:materialize{value=true, gradient=true} r.edge:strategy('[Jt][[J]p]')", "test.sched");
  const Schedule start =
      read_schedule(scheduled_energy(), statements.value(), loaded_constructs()).value();
  const auto steps = guide(scheduled_energy(), start, loaded_constructs(), seconds_by(num_stored),
                           {.precision = Precision::Float});
  ASSERT_TRUE(steps.has_value());
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_EQ(steps->front().cost.seconds, 11);
  EXPECT_EQ(steps->back().cost.seconds, 0);
  EXPECT_EQ(num_stored(
                make_plan(scheduled_energy(), steps->back().schedule, loaded_constructs()).value()),
            0);
  // From there no decision leads on.
  EXPECT_TRUE(guide(scheduled_energy(), steps->back().schedule, loaded_constructs(),
                    seconds_by(num_stored), {.precision = Precision::Float})
                  ->empty());
}

TEST(Guide, EndsWhenItIsStopped) {
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(guide(scheduled_energy(), Schedule(), loaded_constructs(), seconds_by(num_stored),
                     {}, source.get_token()));
}

}  // namespace
}  // namespace thallo
