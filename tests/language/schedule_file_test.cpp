// Schedules in files of their own.

#include "core/frontend/schedule_text.h"

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

// "line: statement"
std::vector<std::string> statements_of(const std::string& text) {
  const auto loaded = load_schedule_text(text, "test.sched");
  if (!loaded) return {loaded.error().message()};
  std::vector<std::string> texts;
  for (const ScheduleStatement& statement : *loaded) {
    EXPECT_EQ(statement.where.file, "test.sched");
    texts.push_back(fmt::format("{}: {}", statement.where.line, statement.text()));
  }
  return texts;
}

std::string refusal(const std::string& text, const LoadLimits& limits = {}) {
  const auto loaded = load_schedule_text(text, "test.sched", limits);
  return loaded ? "" : loaded.error().message();
}

TEST(ScheduleFile, IsMadeOfNamesAndHashesOrEmpty) {
  EXPECT_THAT(statements_of(R"(r.smooth:split_merge{[1]="fit[1]", [2]="new"}
-- what follows is about the new part
r.fit_smooth_1:strategy("[JtJ]p")
r.fit_smooth_1.JtF:compute_at_output(true)
r.fit_smooth_1:reorder{h, w2}:block{role="jtf", threads=128}
pose:materialize{value=true, gradient=false}
local one, rest = r:split(r.edge, 1)
one:reorder{w}
)"),
              ElementsAre("1: r.smooth:split_merge(\"fit[1]\", \"new\")",
                          "3: r.fit_smooth_1:strategy(\"[JtJ]p\")",
                          "4: r.fit_smooth_1.JtF:compute_at_output(true)",
                          "5: r.fit_smooth_1:reorder(h, w2)",
                          "5: r.fit_smooth_1:block{role=\"jtf\", threads=128}",
                          "6: pose:materialize{gradient=false, value=true}",
                          "7: r:split(r.edge, 1)", "8: r.edge_1:reorder(w)"));
  EXPECT_THAT(statements_of(""), IsEmpty());
  EXPECT_THAT(statements_of("-- nothing is decided\n"), IsEmpty());
  EXPECT_THAT(statements_of("%3fa1:parallelize(true)\n%beef:materialize{value=true}  -- %12 %\n"
                            "r.fit:reorder{%00, w}"),
              ElementsAre("1: %3fa1:parallelize(true)", "2: %beef:materialize{value=true}",
                          "3: r.fit:reorder(%00, w)"));
}

TEST(ScheduleFile, LeavesTextsAndCommentsAloneAndHasNoNulBytes) {
  EXPECT_THAT(statements_of("r.a:m('%3f', \"it's \\\"%3f\\\"\", [[%3f\n]], [==[ ]] %3f]==])\n"
                            "--[[ %3f ' \" \n --]] r.b:m(%3f) --[=[ ]] %3f ]=] r.c:m('a')\n"
                            "--[ %3f '\nr.d:m()"),
              ElementsAre("1: r.a:m(\"%3f\", \"it's \"%3f\"\", \"%3f\n\", \" ]] %3f\")",
                          "4: r.b:m(%3f)", "4: r.c:m(\"a\")", "6: r.d:m()"));
  EXPECT_EQ(
      refusal("r.fit:m()\n" + std::string(1, '\0') + "r.fit:n()"),
      "test.sched:2: the line holds a NUL byte; a schedule is written as text, which has none");
}

TEST(ScheduleFile, RunsAsLuaWithinLimits) {
  EXPECT_THAT(statements_of("for i = 1, 2 do\n  r.fit:m(i)\nend"),
              ElementsAre("2: r.fit:m(1)", "2: r.fit:m(2)"));
  EXPECT_THAT(refusal("while true do end", {.instructions = 100'000}),
              HasSubstr("test.sched:1:12: the text ran for more than 100000 instructions"));
  EXPECT_THAT(refusal("local t = {} while true do t[#t + 1] = {} end", {.memory_bytes = 1 << 20}),
              HasSubstr("test.sched:1:38: the text used more than 1 MiB"));
  EXPECT_THAT(refusal("while true do r.fit:m() end"),
              HasSubstr("test.sched:1:15: the text has more than 10000 schedule statements"));
}

TEST(ScheduleFile, IsRead) {
  const test::TempDir dir;
  const auto path = dir.path() / "warp.sched";
  std::ofstream(path) << "r.fit:reorder{h, w}\n";
  const auto loaded = load_schedule(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  ASSERT_EQ(loaded->size(), 1U);
  EXPECT_EQ(loaded->front().where.text(), path.string() + ":1:1");
  EXPECT_THAT(load_schedule(dir.path()).error().message(),
              HasSubstr("this is a folder, not a schedule"));
  EXPECT_THAT(load_schedule("/nowhere.sched").error().message(),
              HasSubstr("/nowhere.sched: there is no such file"));
}

}  // namespace
}  // namespace thallo
