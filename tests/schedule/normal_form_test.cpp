// Schedules that decide the same are the same.

#include <gmock/gmock.h>

#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::read_file;
using test::scheduled_energy;

TEST(NormalForm, DropsWhatIsDecidedAnywayOrUndone) {
  EXPECT_EQ(read_file("r.fit:strategy('JtJp') r.fit:reorder{w, h} r.fit:compute_at_output(false)\n"
                      "shade:materialize(false) blurred:parallelize(false)\n"
                      "r.near:split_merge{[2]='stay'}"),
            "");
  EXPECT_EQ(read_file("r:split(r.near, 2, 3) r:merge(r.near, r.near_2_3)"), "");
  EXPECT_EQ(read_file("r.fit:materializeJtJ() r.fit:materializeJtJ(false) r.fit:materializeJp()"),
            "r.fit:strategy(\"Jt[Jp]\")\n");
  EXPECT_EQ(read_file("r.fit.JtF:compute_at_output() r.fit.JtF:compute_at_output(false)"), "");
}

TEST(NormalForm, DoesNotDependOnTheOrderOfStatements) {
  const std::string canonical =
      "shade:materialize{value=true, gradient=true}\n"
      "r.fit:strategy(\"[Jt][[J]p]\")\n"
      "r.near:strategy(\"Jt[Jp]\")\n"
      "r.fit.JtF:compute_at_output(true)\n"
      "r.near.Jt:compute_at_output(true)\n"
      "blurred:parallelize(true)\n"
      "r.near:reorder{h, w}\n"
      "r.near:block{role=\"jt\", threads=64}\n";
  EXPECT_EQ(read_file("r.near:block{role='jt', threads=64} r.near:reorder{h}\n"
                      "r.near:compute_at_output() blurred:parallelize()\n"
                      "r.fit.JtF:compute_at_output() r.near.Jp:materialize()\n"
                      "r.fit.J:materialize() shade:materialize()"),
            canonical);
  EXPECT_EQ(read_file("shade:materialize() r.fit.J:materialize() r.near.Jp:materialize()\n"
                      "r.near:compute_at_output() r.near:reorder{h}\n"
                      "r.near:block{role='jt', threads=64} r.fit.JtF:compute_at_output()\n"
                      "blurred:parallelize()"),
            canonical);
}

TEST(NormalForm, HasTheHashOfItsText) {
  const auto read = [](const std::string& text) {
    return *read_schedule(scheduled_energy(), *load_schedule_text(text, "test.sched"),
                          loaded_constructs());
  };
  const Schedule a = read("r.fit:materializeJ() r.near:reorder{h}");
  const Schedule b = read("r.near:reorder{h, w} r.fit:strategy('[Jt][[J]p]')");
  const Schedule c = read("r.near:reorder{h, w} r.fit:strategy('[JtJ]p')");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(loaded_constructs()), b.hash(loaded_constructs()));
  EXPECT_NE(a.hash(loaded_constructs()), c.hash(loaded_constructs()));
}

}  // namespace
}  // namespace thallo
