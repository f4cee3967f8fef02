// What a text of pins pins, which schedules keep pins, and what pins need.

#include "core/schedule/pins.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::schedule_from;
using test::scheduled_energy;
using testing::ElementsAre, testing::HasSubstr;

Expected<Pins> read_pinned(const std::string& text) {
  return read_pins(scheduled_energy(), load_schedule_text(text, "pins.sched").value(),
                   loaded_constructs(), "pins.sched");
}

std::vector<std::string> pinned(const std::string& text) {
  const auto pins = read_pinned(text);
  EXPECT_TRUE(pins) << pins.error().message();
  return pins ? pins->texts(loaded_constructs()) : std::vector<std::string>();
}

bool are_kept(const std::string& pins, const std::string& schedule) {
  return read_pinned(pins).value().are_kept_by(schedule_from(schedule), scheduled_energy(),
                                               loaded_constructs());
}

TEST(Pins, AreTheDecisionsOfATextAlsoDefaults) {
  EXPECT_THAT(
      pinned("r.fit:reorder{h, w}\nr.edge:strategy('[JtJ]p')\nr.edge.JtJ:storage('csr')\n"
             "shade:materialize{value=true}"),
      ElementsAre("shade:materialize{value=true, gradient=false}", "r.edge:strategy(\"[JtJ]p\")",
                  "r.edge.JtJ:storage(\"csr\")", "r.fit:reorder{h, w}"));
  EXPECT_THAT(pinned("r.fit:strategy('JtJp')\nshade:materialize{value=false}\n"
                     "r.near.JtF:compute_at_output(false)\nr.near:clear_reorder()\n"
                     "r.vectors:layout('plain')\nr.near:split_merge{[2]='stay'}\n"
                     "r.fit:split_merge{[1]='new'}"),
              ElementsAre("r.fit:split_merge{[1]=\"new\"}", "r.near:split_merge{[2]=\"stay\"}",
                          "shade:materialize{value=false, gradient=false}",
                          "r.fit:strategy(\"JtJp\")", "r.near.JtF:compute_at_output(false)",
                          "r.near:reorder{w, h}", "r.vectors:layout(\"plain\")"));
}

TEST(Pins, OfAMergeAreAllResidualsAndOfAPlacementItsOwn) {
  EXPECT_THAT(pinned("r:merge(r.fit, r.near)"),
              ElementsAre("r.fit:split_merge{[1]=\"new\"}", "r.near:split_merge{[1]=\"fit[1]\"}",
                          "r.near:split_merge{[2]=\"stay\"}", "r.near:split_merge{[3]=\"stay\"}"));
  EXPECT_THAT(pinned("r:split(r.near, 2)"),
              ElementsAre("r.near:split_merge{[1]=\"new\"}", "r.near:split_merge{[2]=\"new\"}",
                          "r.near:split_merge{[3]=\"near[1]\"}"));
  EXPECT_THAT(pinned("r.near:split_merge{[1]='fit[1]'}"),
              ElementsAre("r.near:split_merge{[1]=\"fit[1]\"}"));
}

TEST(Pins, OfSeveralStatementsAboutASiteAreOne) {
  EXPECT_THAT(pinned("r.fit:materializeJ():materializeJtJ()"),
              ElementsAre("r.fit:strategy(\"[[Jt][J]]p\")"));
  EXPECT_THAT(pinned("shade:materialize{value=true}\nshade:materialize{gradient=true}"),
              ElementsAre("shade:materialize{value=true, gradient=true}"));
  EXPECT_THAT(
      pinned("local both = r:merge(r.fit, r.near)\nr:merge(both, r.anchor)"),
      ElementsAre("r.anchor:split_merge{[1]=\"new\"}", "r.fit:split_merge{[1]=\"anchor[1]\"}",
                  "r.near:split_merge{[1]=\"anchor[1]\"}", "r.near:split_merge{[2]=\"stay\"}",
                  "r.near:split_merge{[3]=\"stay\"}"));
}

TEST(Pins, AreNoSchedulesWhereASwitchIsTakenBack) {
  const std::string text = "r.fit:compute_at_output(true)\nr.fit:compute_at_output(false)";
  EXPECT_EQ(test::read_file(text), "");
  EXPECT_THAT(read_pinned(text).error().message(),
              HasSubstr("pins.sched:2:1: r.fit:compute_at_output(false) contradicts "
                        "r.fit:compute_at_output(true) (pins.sched:1:1)"));
  EXPECT_THAT(
      read_pinned("r.near:split_merge{[2]='new'}\nr.near:split_merge{[2]='stay'}").error().what,
      HasSubstr("contradicts"));
}

TEST(Pins, AreKeptBySchedulesThatDecideTheSame) {
  const std::string pins = "r.fit:strategy('JtJp')\nr.edge:strategy('[JtJ]p')";
  EXPECT_TRUE(are_kept(pins, "r.edge:strategy('[JtJ]p')"));
  EXPECT_TRUE(are_kept(pins, "r.edge:strategy('[JtJ]p')\nr.near:strategy('[JtJ]p')"));
  EXPECT_FALSE(are_kept(pins, ""));
  EXPECT_FALSE(are_kept(pins, "r.edge:strategy('[JtJ]p')\nr.fit:strategy('Jt[Jp]')"));
  EXPECT_TRUE(are_kept("r.fit:strategy('JtJp')", ""));
  EXPECT_FALSE(are_kept("r.fit:strategy('JtJp')", "r:merge(r.fit, r.near)"));
  EXPECT_FALSE(are_kept("r.fit.JtJp:compute_at_output(false)", "r.fit:strategy('[JtJ]p')"));
  EXPECT_TRUE(are_kept("r.near:split_merge{[2]='stay'}", ""));
  EXPECT_TRUE(are_kept("r.near:split_merge{[2]='stay'}", "r:merge(r.fit, r.near)"));
  EXPECT_FALSE(are_kept("r.near:split_merge{[2]='stay'}", "r:split(r.near, 2)"));
}

TEST(Pins, AreCompletedByWhatTheyNeed) {
  const Energy& energy = scheduled_energy();
  const Schedule schedule = schedule_from(
      "r:merge(r.fit, r.near)\nr.fit_near:strategy('[Jt][[J]p]')\n"
      "r.fit_near.J:storage('csr')\nr.edge:strategy('[JtJ]p')\n"
      "shade:materialize{value=true}");
  const Directive csr = {"storage", {SiteKind::Product, "fit_near.J"}, {"csr", {}}};
  const auto pins = with_needed({}, {csr}, schedule, energy, loaded_constructs());
  ASSERT_TRUE(pins) << pins.error().message();
  EXPECT_THAT(pins->texts(loaded_constructs()),
              ElementsAre("r.near:split_merge{[1]=\"fit[1]\"}",
                          "r.fit_near:strategy(\"[Jt][[J]p]\")", "r.fit_near.J:storage(\"csr\")"));
  const Directive stored = {"materialize", {SiteKind::Intermediate, "shade"}, {"value", {}}};
  const auto more = with_needed(*pins, {stored}, schedule, energy, loaded_constructs());
  EXPECT_EQ(more.value().size(), pins->size() + 1);
}

TEST(Pins, GoTogetherWithWhatNeedsThem) {
  const auto pins = read_pinned(
      "r.edge:strategy('[JtJ]p')\nr.edge.JtJ:storage('csr')\nshade:materialize{value=true}");
  const Directive strategy = {"strategy", {SiteKind::Part, "edge"}, {}};
  EXPECT_THAT(without(*pins, {strategy}, scheduled_energy(), loaded_constructs())
                  .texts(loaded_constructs()),
              ElementsAre("shade:materialize{value=true, gradient=false}"));
  const Directive format = {"storage", {SiteKind::Product, "edge.JtJ"}, {}};
  EXPECT_EQ(without(*pins, {format}, scheduled_energy(), loaded_constructs()).size(), 2u);
}

}  // namespace
}  // namespace thallo
