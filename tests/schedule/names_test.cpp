// What merges and splits call the parts they make.

#include <gmock/gmock.h>

#include <set>

#include "core/schedule/plan_print.h"
#include "core/search/schedule_space.h"
#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::read_below;
using test::read_file;
using ::testing::HasSubstr;

TEST(PartNames, AMergeIsCalledAfterAllAndByTheFirst) {
  const char* canonical = "r.near:split_merge{[1]=\"fit[1]\"}\nr.fit_near:reorder{h, w}\n";
  EXPECT_EQ(read_file("r:merge(r.fit, r.near) r.fit_near:reorder{h}"), canonical);
  EXPECT_EQ(read_below("local both = r:merge(r.fit, r.near) both:reorder{y}"), canonical);
  // The names of the text are its own; what is printed names the members in their order.
  EXPECT_EQ(read_file("r:merge(r.near, r.fit) r.near_fit:reorder{h}"), canonical);
  EXPECT_EQ(read_file("r.fit:reorder{h} r:merge(r.fit, r.near)"), canonical);
  EXPECT_EQ(read_file("r:merge(r.fit, r.near) r.fit:reorder{h}"), canonical);
  EXPECT_THAT(read_file("r:merge(r.fit, r.near) r.near:reorder{h}"),
              HasSubstr("there is no part 'r.near'"));
  EXPECT_EQ(read_file("r:merge(r:merge(r.anchor, r.fit), r.near) r.anchor_fit_near:reorder{h}"),
            "r.fit:split_merge{[1]=\"anchor[1]\"}\nr.near:split_merge{[1]=\"anchor[1]\"}\n"
            "r.anchor_fit_near:reorder{h, w}\n");
}

TEST(PartNames, WhatAMergeOrASplitTookAwayIsSaid) {
  EXPECT_THAT(read_file("r.near:reorder{h}\nr:merge(r.fit, r.near)"),
              HasSubstr("no part 'r.near' after r:merge(r.fit, r.near) (test.sched:2:1)"));
  EXPECT_THAT(read_file("r.near:reorder{h}\nr:full_split(r.near)"),
              HasSubstr("no part 'r.near' after r:full_split(r.near) (test.sched:2:1)"));
  EXPECT_THAT(read_file("r.near:split_merge{[1]='fit[1]'}\nr.near:reorder{h}"),
              HasSubstr("no part 'r.near' after r.near:split_merge(\"fit[1]\") (test.sched:1:1)"));
  // The name is there again.
  EXPECT_EQ(read_file("r:merge(r.fit, r.near) r.near:split_merge{[1]='new'} r.near:reorder{h}"),
            "r.near:reorder{h, w}\n");
}

TEST(PartNames, ASplitIsCalledAfterItsNumbersAndKeepsWhatWasSaid) {
  EXPECT_EQ(read_file("local new, old = r:split(r.near, 2) new:reorder{h} old.J:materialize()"),
            "r.near:split_merge{[2]=\"new\"}\nr.near:split_merge{[3]=\"near[1]\"}\n"
            "r.near_1_3:strategy(\"[Jt][[J]p]\")\nr.near_2:reorder{h, w}\n");
  EXPECT_EQ(read_file("r:split(r.near, 1, 2) r.near_1_2:reorder{h} r.near.J:materialize()"),
            "r.near:split_merge{[3]=\"new\"}\n"
            "r.near_3:strategy(\"[Jt][[J]p]\")\nr.near_1_2:reorder{h, w}\n");
  EXPECT_EQ(read_file("r.near:reorder{h} r:split(r.near, 1) r.near_1:clear_reorder()"),
            "r.near:split_merge{[2]=\"new\"}\nr.near_2_3:reorder{h, w}\n");
  EXPECT_EQ(read_file("r:full_split(r.near) r.near_3:reorder{h}"),
            "r.near:split_merge{[2]=\"new\"}\nr.near:split_merge{[3]=\"new\"}\n"
            "r.near_3:reorder{h, w}\n");
  EXPECT_EQ(read_file("r:merge(r.fit, r.near) r:split(r.fit_near, 1, 2) r.fit_near_1_2:reorder{h}"),
            "r.near:split_merge{[1]=\"fit[1]\"}\nr.near:split_merge{[2]=\"new\"}\n"
            "r.fit_near_1:reorder{h, w}\n");
}

// Groups that are called as merges and splits of others would be.
const std::string TakenNames =
    "local N = Dims('N') Inputs { X = Unknown(float, {N}) }\n"
    "local n = N()\n"
    "local r = Residuals { a = X(n), b = 2 * X(n), a_b = 3 * X(n),\n"
    "                      reg = {X(n), 2 * X(n)}, reg_1 = 3 * X(n) }\n";

TEST(PartNames, NoTwoPartsHaveOneButAMergeMayTakeThatOfAMember) {
  const Energy energy = load_energy_text(TakenNames, "test.lua").value().energy;
  const ScheduleSpace space(energy, test::loaded_constructs());
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ScheduleSpace::Sample drawn = space.sample(seed);
    std::set<std::string> names;
    for (const Part& part : drawn.plan.parts)
      EXPECT_TRUE(names.insert(part.name).second) << part.name;
    texts.insert(drawn.schedule.text(test::loaded_constructs()));
  }
  EXPECT_GT(texts.size(), 40U);
  // The name is free once what had it is part of it.
  const auto of = [](const std::string& statements) {
    const auto file = load_energy_text(TakenNames + statements, "test.lua");
    return file ? test::text_of(file->energy, file->schedule) : file.error().message();
  };
  EXPECT_EQ(of("r:merge(r.a, r.a_b) r:merge(r.a, r.b) r.a_b:materializeJ()"),
            "r.a_b:split_merge{[1]=\"a[1]\"}\nr.b:split_merge{[1]=\"a[1]\"}\n"
            "r.a_a_b_b:strategy(\"[Jt][[J]p]\")\n");
}

// Dims whose names differ in case alone, and loop variables that were given a name twice.
const std::string DomainsOfEqualNames =
    "local T, t = Dims('T', 't')\n"
    "Inputs { X = Unknown(float, {T, t}), Y = Unknown(float, {T, t, T}) }\n"
    "local a, b = T(), t()\n"
    "local i, j, k = T('x'), t('x2'), T('x')\n"
    "local r = Residuals { fit = X(a, b) - X(a + 1, b), far = Y(i, j, k) }\n";

TEST(DomainNames, AreNumberedWithinAPartAndReadAsTheyArePrinted) {
  const auto of = [](const std::string& statements) {
    const auto file = load_energy_text(DomainsOfEqualNames + statements, "test.lua");
    return file ? test::text_of(file->energy, file->schedule) : file.error().message();
  };
  EXPECT_EQ(of("r.fit:reorder{b, a}"), "r.fit:reorder{t2, t}\n");
  EXPECT_EQ(of("r.far:reorder{k, i, j}"), "r.far:reorder{x3, x, x2}\n");
  EXPECT_EQ(of("r.far:reorder{i, j, k}"), "");
  const Energy energy = load_energy_text(DomainsOfEqualNames, "test.lua").value().energy;
  for (const std::string text : {"r.fit:reorder{t2, t}\n", "r.far:reorder{x3, x2, x}\n"}) {
    const auto statements = load_schedule_text(text, "test.sched").value();
    EXPECT_EQ(test::text_of(energy, statements), text);
    const auto schedule = read_schedule(energy, statements, test::loaded_constructs());
    const auto plan = make_plan(energy, schedule.value(), test::loaded_constructs());
    EXPECT_THAT(to_string(energy, plan.value()),
                HasSubstr(text.starts_with("r.fit") ? "(t2, t)" : "(x3, x2, x)"));
  }
}

}  // namespace
}  // namespace thallo
