// Products that are gathered at some of the unknowns and scattered to the others.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/schedule/plan_print.h"
#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::ElementsAre, testing::HasSubstr;

// Cameras of two unknowns and points, observations of both, and a light that all of them read.
const Energy& cameras_energy() {
  static const Energy energy = load_energy_text(R"(local C, P, O, U = Dims("C", "P", "O", "U")
Inputs {
  cameras = Unknown(float3, {C}), focal = Unknown(float, {C}), points = Unknown(float3, {P}),
  light = Unknown(float, {U}), camera_of = Sparse({O}, {C}), point_of = Sparse({O}, {P}),
}
local c, p, o = C(), P(), O()
local r = Residuals {
  seen = focal(camera_of(o)) * (cameras(camera_of(o)) - points(point_of(o))),
  lit = points(point_of(o))(0) * light(0) - 1,
  prior = points(p) - 1,
}
)",
                                                "cameras.lua")
                                   .value()
                                   .energy;
  return energy;
}

std::string read_of_cameras(const std::string& text) {
  const auto statements = load_schedule_text(text, "test.sched");
  return statements ? test::text_of(cameras_energy(), *statements) : statements.error().message();
}

Plan plan_of_cameras(const std::string& text) {
  const auto statements = load_schedule_text(text, "test.sched");
  const auto schedule = read_schedule(cameras_energy(), statements.value(), loaded_constructs());
  return make_plan(cameras_energy(), schedule.value(), loaded_constructs()).value();
}

TEST(OutputOfUnknowns, IsReadAndPrinted) {
  const std::string canonical = "r.seen.JtJp:compute_at_output(\"points\")\n";
  EXPECT_EQ(read_of_cameras(canonical), canonical);
  EXPECT_EQ(read_of_cameras("r.seen:compute_at_output{'points'}"), canonical);
  EXPECT_EQ(read_of_cameras("r.seen.JtF:compute_at_output('points') r.seen:strategy('Jt[Jp]')\n"
                            "r.seen.Jt:compute_at_output('cameras')"),
            "r.seen:strategy(\"Jt[Jp]\")\nr.seen.JtF:compute_at_output(\"points\")\n"
            "r.seen.Jt:compute_at_output(\"cameras\")\n");
  EXPECT_EQ(read_of_cameras("r.seen:compute_at_output('focal')"),
            "r.seen.JtJp:compute_at_output(\"cameras\")\n");
  EXPECT_EQ(read_of_cameras("r.seen:compute_at_output('focal', 'cameras')"),
            "r.seen.JtJp:compute_at_output(\"cameras\")\n");
  const std::string output = "r.seen.JtJp:compute_at_output(true)\n";
  EXPECT_EQ(read_of_cameras("r.seen:compute_at_output{'points', 'cameras'}"), output);
  EXPECT_EQ(read_of_cameras("r.prior:compute_at_output('points')"),
            "r.prior.JtJp:compute_at_output(true)\n");
  EXPECT_EQ(read_of_cameras("r:merge(r.lit, r.seen):compute_at_output('points', 'focal')"),
            "r.seen:split_merge{[1]=\"lit[1]\"}\n"
            "r.lit_seen.JtJp:compute_at_output{\"cameras\", \"points\"}\n");
}

TEST(OutputOfUnknowns, GoesToThePlan) {
  const Plan plan = plan_of_cameras("r.seen:compute_at_output('points')");
  const ComputeAt where = find_part(plan, "seen")->jtjp;
  EXPECT_EQ(where, ComputeAt::output_of({1}));
  EXPECT_FALSE(where.gathers_at(0));
  EXPECT_TRUE(where.gathers_at(1));
  EXPECT_TRUE(where.gathers() && where.scatters());
  EXPECT_THAT(to_string(cameras_energy(), plan),
              HasSubstr("JtJp         gathered at points, else scattered\n"));
}

TEST(OutputOfUnknowns, IsOfferedWhereAPartReadsSeveralSpaces) {
  const Construct& construct = *loaded_constructs().find("compute_at_output");
  const Plan plan = default_plan(cameras_energy());
  const auto labels = [&](const char* name) {
    std::vector<std::string> result;
    for (const Alternative& a :
         construct.alternatives(cameras_energy(), plan, {SiteKind::Product, name}))
      result.push_back(a.choice.label);
    return result;
  };
  const auto editor = [&](const char* name) {
    return kind_of(construct.editor(cameras_energy(), plan, {SiteKind::Product, name}));
  };
  EXPECT_THAT(labels("seen.JtJp"),
              ElementsAre("residual", "output", "output of cameras", "output of points"));
  EXPECT_EQ(editor("seen.JtJp"), "one_of");
  EXPECT_THAT(labels("prior.JtJp"), ElementsAre("residual", "output"));
  EXPECT_EQ(editor("prior.JtJp"), "toggle");
}

// What no other unknown stands in the way of.
TEST(OutputOfUnknowns, NeedsInversesOfAccessesToTheseOnly) {
  EXPECT_THAT(read_of_cameras("r.lit:compute_at_output(true)"),
              HasSubstr("light(0) of residual lit"));
  EXPECT_EQ(read_of_cameras("r.lit:compute_at_output('points')"),
            "r.lit.JtJp:compute_at_output(\"points\")\n");
  EXPECT_EQ(
      read_of_cameras("r.lit:compute_at_output('light')"),
      "test.sched:1:1: compute_at_output: r.lit.JtJp cannot be gathered at light: light(0) of "
      "residual lit has no inverse: one of its components is the same everywhere (legal: "
      "r.lit.JtJp:compute_at_output(false), r.lit.JtJp:compute_at_output(\"points\"))");
}

TEST(OutputOfUnknowns, RefusesOthersAndContradictions) {
  EXPECT_EQ(
      read_of_cameras("r.seen:compute_at_output('pints')"),
      "test.sched:1:1: r.seen:compute_at_output(\"pints\"): there is no unknown 'pints'; did "
      "you mean 'points'? (legal: true, false, \"cameras\", \"focal\", \"points\", \"light\")");
  EXPECT_EQ(
      read_of_cameras("r.prior:compute_at_output('cameras')"),
      "test.sched:1:1: compute_at_output: r.prior.JtJp cannot be gathered at cameras: the part "
      "has no derivative by cameras (legal: r.prior.JtJp:compute_at_output(false), "
      "r.prior.JtJp:compute_at_output(true))");
  EXPECT_EQ(read_of_cameras("r.seen:compute_at_output(1)"),
            "test.sched:1:1: r.seen:compute_at_output(1): takes true, false or names of unknowns "
            "(legal: true, false, \"cameras\", \"focal\", \"points\", \"light\")");
  EXPECT_THAT(
      read_of_cameras("r.seen:compute_at_output('points')\nr.seen:compute_at_output('cameras')"),
      HasSubstr("contradicts r.seen:compute_at_output(\"points\") (test.sched:1:1)"));
  EXPECT_EQ(read_of_cameras("r.seen:compute_at_output('points'):compute_at_output(false)"), "");
}

// The residuals that an edit leaves in a part may read fewer unknowns.
TEST(OutputOfUnknowns, IsDroppedWithAReasonWhereAPartReadsThemNoMore) {
  const auto said = load_schedule_text(
      "r:merge(r.lit, r.seen) r.lit_seen:compute_at_output{'cameras', 'points'}", "test.sched");
  const Schedule merged =
      read_schedule(cameras_energy(), said.value(), loaded_constructs()).value();
  const Directive apart{"split_merge", {SiteKind::Residual, "seen[1]"}, {"new", {}}};
  const auto edited = edit(cameras_energy(), merged, {apart}, loaded_constructs());
  ASSERT_TRUE(edited) << edited.error().message();
  EXPECT_EQ(edited->schedule.text(loaded_constructs()), "");
  std::vector<std::string> reasons;
  for (const EditedSchedule::Dropped& dropped : edited->dropped)
    reasons.push_back(dropped.why.what);
  EXPECT_THAT(reasons, testing::UnorderedElementsAre(
                           HasSubstr("the part has derivatives by no other unknowns"),
                           HasSubstr("the part has no derivative by cameras")));
}

}  // namespace
}  // namespace thallo
