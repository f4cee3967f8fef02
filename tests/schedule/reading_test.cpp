// Which statement of a text decides what, and all of its faults at once.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/schedule/readings.h"
#include "tests/support/counted_construct.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::scheduled_energy;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;

struct Read {
  std::vector<ScheduleStatement> statements;
  ScheduleReading reading;
};

Read read(const std::string& text) {
  Read result{load_schedule_text(text, "test.sched").value(), {}};
  result.reading = read_statements(scheduled_energy(), result.statements, loaded_constructs());
  return result;
}

// What the text decides: "1:1-1:30 strategy fit JtJp", with "(replaced)" where that is so.
std::vector<std::string> decisions(const std::string& text) {
  const Read found = read(text);
  EXPECT_THAT(found.reading.faults, IsEmpty());
  std::vector<std::string> lines;
  for (const PlacedDirective& placed : found.reading.directives) {
    const ScheduleStatement& said = found.statements[placed.statement];
    lines.push_back(fmt::format("{}:{}-{}:{} {} {} {}{}", said.where.line, said.where.column,
                                said.end.line, said.end.column, placed.directive.construct,
                                placed.directive.site.name, placed.directive.choice.label,
                                placed.is_replaced ? " (replaced)" : ""));
  }
  return lines;
}

std::vector<std::string> faults(const std::string& text) {
  const Read found = read(text);
  EXPECT_FALSE(found.reading.schedule);
  std::vector<std::string> lines;
  for (const Diagnostic& fault : found.reading.faults) lines.push_back(fault.message());
  return lines;
}

TEST(ScheduleReading, SaysWhatEachStatementDecides) {
  EXPECT_THAT(decisions("r.fit:reorder{h, w}\n\n  r.near\n  :strategy('[JtJ]p')\n"),
              ElementsAre("3:3-4:22 strategy near [JtJ]p", "1:1-1:20 reorder fit h, w"));
  EXPECT_THAT(decisions("r.fit:reorder{h, w}:clear_reorder() r.near:reorder{h, w}"),
              ElementsAre("1:1-1:20 reorder fit h, w (replaced)", "1:20-1:36 reorder fit w, h",
                          "1:37-1:57 reorder near h, w"));
  EXPECT_THAT(
      decisions("r.fit:strategy('[JtJ]p')\nr.fit:strategy('[JtJ]p')"),
      ElementsAre("1:1-1:25 strategy fit [JtJ]p (replaced)", "2:1-2:25 strategy fit [JtJ]p"));
  EXPECT_THAT(decisions("r:merge(r.fit, r.near)"),
              ElementsAre("1:1-1:23 split_merge near[1] with fit[1]"));
  EXPECT_THAT(decisions("local new, old = r:split(r.near, 2, 3)\nr:merge(old, new)"),
              ElementsAre("1:18-1:39 split_merge near[2] new (replaced)",
                          "2:1-2:18 split_merge near[2] stay"));
  EXPECT_THAT(decisions("r.near:reorder{h, w}\nr.fit:assume_schedule(r.near)"),
              ElementsAre("1:1-1:21 reorder near h, w", "2:1-2:30 reorder fit h, w"));
  EXPECT_THAT(
      decisions("r.fit:materializeJtJ():materializeJp():materializeJtJ(false)"),
      ElementsAre("1:1-1:23 strategy fit [JtJ]p (replaced)", "1:39-1:61 strategy fit Jt[Jp]"));
  EXPECT_THAT(decisions("local parts = {r.fit, r.near}\nfor i = 1, 2 do\n"
                        "  parts[i]:reorder{h, w}\nend"),
              ElementsAre("3:3-3:25 reorder fit h, w", "3:3-3:25 reorder near h, w"));
}

TEST(ScheduleReading, ListsFaultsInTheOrderOfTheText) {
  EXPECT_THAT(faults("r.fit:strategy('bogus')\nr.near:strategy('[JtJ]p')\nr.none:strategy('JtJp')\n"
                     "r.blur:strategy('other')"),
              ElementsAre(HasSubstr("test.sched:1:1: strategy of r.fit cannot be 'bogus'"),
                          HasSubstr("test.sched:3:1: r.none:strategy(\"JtJp\"): there is no part"),
                          HasSubstr("test.sched:4:1: strategy of r.blur cannot be 'other'")));
  EXPECT_THAT(faults("r.fit:block{role='jtf', threads=77}\nr.fit:layout('blocked')"), SizeIs(2));
  EXPECT_THAT(faults("r.near:strategy('b')\nr.fit:strategy('a')"),
              ElementsAre(HasSubstr("test.sched:1:1: "), HasSubstr("test.sched:2:1: ")));
  EXPECT_THAT(faults("r.near:strategy('bogus')\nr.fit:assume_schedule(r.near)\n"
                     "r.near.JtJ:storage('csr')"),
              ElementsAre(HasSubstr("test.sched:1:1: strategy of r.near cannot be 'bogus'")));
  const Read found = read("r:merge(r.fit, r.near)\nr.fit:strategy('bogus')");
  ASSERT_THAT(found.reading.directives, SizeIs(1));
  EXPECT_EQ(found.reading.directives[0].directive.site.name, "near[1]");
  EXPECT_THAT(faults("for i = 1, 30 do r.fit:strategy('s' .. i) end"), SizeIs(20));
}

TEST(ScheduleReading, ATextIsReadWithItsFaultsAsAList) {
  const ScheduleText syntax = parse_schedule_text("r.fit:reorder{h, w\n", "test.sched");
  ASSERT_THAT(syntax.faults, SizeIs(1));
  EXPECT_EQ(syntax.faults[0].where, (SourceLocation{"test.sched", 1, 19}));
  EXPECT_THAT(syntax.faults[0].what, HasSubstr("'}' expected"));
  const ScheduleText two =
      parse_schedule_text("r.fit:loss(2)\n  r.fit.JTJ:materialize()\nr.fit.J()", "test.sched");
  EXPECT_THAT(two.statements, IsEmpty());
  ASSERT_THAT(two.faults, SizeIs(3));
  EXPECT_EQ(two.faults[0].where, (SourceLocation{"test.sched", 1, 1}));
  EXPECT_EQ(two.faults[1].where.line, 2);
  EXPECT_EQ(two.faults[2].where, (SourceLocation{"test.sched", 3, 1}));
}

TEST(ScheduleReading, StatementsInTheTextOfAnEnergyHaveColumnsToo) {
  const auto file =
      load_energy_text(test::ScheduledText + std::string("r.fit:reorder{y, x}"), "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_THAT(file->schedule, SizeIs(1));
  EXPECT_EQ(file->schedule[0].where.column, 1);
  EXPECT_EQ(file->schedule[0].end.column, 20);
  EXPECT_EQ(file->schedule[0].end.line, file->schedule[0].where.line);
}

TEST(Reading, AStatementIsReadAFewTimesHoweverManyThereAre) {
  constexpr int NumGroups = 40;
  const Energy energy = test::energy_of_groups(NumGroups);
  std::string text = "r.r1:strategy('[JtJ]p')\n";
  for (int i = 2; i <= NumGroups; ++i) text += fmt::format("r.r{}:split_merge{{[1]='r1[1]'}}\n", i);
  test::AskedCounts asked;
  const ConstructRegistry counted = test::counted_constructs({"split_merge", "strategy"}, asked);
  const auto statements = load_schedule_text(text, "test.sched").value();
  const ScheduleReading reading = read_statements(energy, statements, counted);
  // There is no part r1 any more, and the first statement to blame for that is the strategy's.
  ASSERT_THAT(reading.faults, SizeIs(1));
  EXPECT_THAT(reading.faults.front().message(), HasSubstr("test.sched:1"));
  const ScheduleReading merged =
      read_statements(energy, {statements.begin() + 1, statements.end()}, counted);
  ASSERT_TRUE(merged.schedule);
  EXPECT_THAT(merged.directives, SizeIs(NumGroups - 1));
  for (std::size_t i = 0; i < merged.directives.size(); ++i)
    EXPECT_EQ(merged.directives[i].statement, i);
  EXPECT_LE(asked.statements, 15u * NumGroups);
}

TEST(Reading, MergesAreAThousandAtMost) {
  std::string text;
  for (int i = 0; i < 1'001; ++i) text += "r.fit:split_merge{[1]='new'}\n";
  EXPECT_THAT(faults(text), ElementsAre(HasSubstr("a schedule has at most 1000 statements that "
                                                  "merge or split parts")));
}

}  // namespace
}  // namespace thallo
