// What can be written at a site: legal or not, and why.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/energy/builder.h"
#include "core/search/schedule_space.h"
#include "tests/schedule/readings.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::scheduled_energy;

std::string name_of(const Construct& construct, const Site& site, const Alternative& alternative) {
  return construct.print({std::string(construct.name()), site, alternative.choice});
}

// Every alternative of a site is judged by check() and offered by choices() as it says of itself.
void expect_consistent(const Energy& energy, const Plan& plan, const Construct& construct,
                       const Site& site) {
  const std::vector<Alternative> alternatives = construct.alternatives(energy, plan, site);
  const std::vector<Choice> offered = construct.choices(energy, plan, site);
  ASSERT_FALSE(alternatives.empty());
  EXPECT_TRUE(alternatives.front().legal) << alternatives.front().legal.error().what;
  EXPECT_EQ(offered.front(), alternatives.front().choice) << "the default first";
  std::set<std::string> labels;
  for (const Alternative& alternative : alternatives) {
    SCOPED_TRACE(name_of(construct, site, alternative));
    EXPECT_TRUE(labels.insert(alternative.choice.label).second);
    EXPECT_EQ(std::ranges::count(offered, alternative.choice),
              alternative.legal && !alternative.is_repeated ? 1 : 0);
    const auto checked = construct.check(energy, plan, site, alternative.choice);
    EXPECT_EQ(checked.has_value(), alternative.legal.has_value());
    if (checked || alternative.legal) continue;
    EXPECT_FALSE(alternative.legal.error().what.empty());
    EXPECT_EQ(checked.error().what,
              construct.refusal(site, alternative.choice) + ": " + alternative.legal.error().what);
  }
}

void expect_all_consistent(const Energy& energy, const Plan& plan) {
  for (const Construct* construct : in_stage_order(loaded_constructs())) {
    for (const Site& site : construct->sites(energy, plan))
      expect_consistent(energy, plan, *construct, site);
  }
}

TEST(Alternatives, AreWhatCheckAndChoicesSay) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    expect_all_consistent(sample.energy, default_plan(sample.energy));
    const ScheduleSpace space(sample.energy, loaded_constructs());
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      expect_all_consistent(sample.energy, space.sample(seed).plan);
  }
}

// Illegal alternatives with their reasons, a line each.
std::string obstacles(std::string_view construct_name, const Site& site,
                      const Plan& plan = default_plan(scheduled_energy())) {
  const Construct& construct = *loaded_constructs().find(construct_name);
  std::string text;
  for (const Alternative& alternative : construct.alternatives(scheduled_energy(), plan, site)) {
    if (alternative.legal) continue;
    text += alternative.choice.label + ": " + alternative.legal.error().what + "\n";
  }
  return text;
}

TEST(Alternatives, SayWhyTheyAreNotLegal) {
  EXPECT_EQ(obstacles("compute_at_output", {SiteKind::Product, "blur.JtJp"}), "");
  EXPECT_EQ(obstacles("aggregate", {SiteKind::Part, "fit"}),
            "each lane: neighboring points read different elements of the unknowns\n");
  EXPECT_EQ(obstacles("split_merge", {SiteKind::Residual, "edge[1]"}),
            "with anchor[1]: they run over different dims, (e) and (w, h)\n"
            "with blur[1]: they run over different dims, (e) and (w, h)\n");
  Plan plan = default_plan(scheduled_energy());
  find_part(plan, "fit")->strategy = Strategy::StoredJ;
  find_part(plan, "fit")->jt = ComputeAt::Output;
  const std::string gathered =
      "its Jt is gathered at the output, which follows the accesses backwards\n";
  EXPECT_EQ(obstacles("storage", {SiteKind::Product, "fit.J"}, plan),
            "dense: " + gathered + "csr: " + gathered +
                "blocks: only JtJ has them, one for each two elements that meet\n");
}

TEST(Alternatives, AreRepeatedWhereTheyMakeTheSameProgram) {
  const Construct& precision = *loaded_constructs().find("precision");
  Plan plan = default_plan(scheduled_energy());
  const auto is_single_repeated = [&] {
    const auto alternatives = precision.alternatives(scheduled_energy(), plan, vectors_site());
    return std::ranges::find(
               alternatives, "single",
               [](const Alternative& alternative) { return alternative.choice.label; })
        ->is_repeated;
  };
  EXPECT_TRUE(is_single_repeated());
  plan.precision = Precision::Double;
  EXPECT_FALSE(is_single_repeated());
}

// All orders of seven variables are 5040.
TEST(Alternatives, OfTheOrderOfManyVariablesAreFewThoughEachOrderCanBeSaid) {
  EnergyBuilder e("seven");
  std::vector<DimId> dims;
  std::vector<IndexExpr> point;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G"}) {
    dims.push_back(e.dim(name));
    point.push_back(e.domain(dims.back()));
  }
  e.residual("r", e.unknown("X", dims).at(point));
  const Energy energy = *std::move(e).build();
  const Plan plan = default_plan(energy);
  const Construct& reorder = *loaded_constructs().find("reorder");
  const Site site{SiteKind::Part, "r"};
  std::set<std::string> listed;
  for (const Alternative& order : reorder.alternatives(energy, plan, site))
    listed.insert(order.choice.label);
  EXPECT_EQ(listed.size(), 7u);
  EXPECT_TRUE(listed.contains("a, b, c, d, e, f, g"));
  EXPECT_TRUE(listed.contains("d, a, b, c, e, f, g"));

  const Choice backwards{"g, f, e, d, c, b, a", {}};
  EXPECT_TRUE(reorder.check(energy, plan, site, backwards));
  const Schedule schedule({{"reorder", site, backwards}});
  EXPECT_EQ(normal_form(energy, schedule, loaded_constructs()).value(), schedule);
}

}  // namespace
}  // namespace thallo
