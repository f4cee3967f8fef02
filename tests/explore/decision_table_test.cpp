#include "core/explore/report/decision_table.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/search/search.h"

namespace thallo {
namespace {

using testing::Contains, testing::ElementsAre, testing::IsEmpty, testing::Not;

class DecisionTables : public testing::Test {
 protected:
  DecisionTables() : problem_(*ExploredProblem::open(session_, {.problem = "curve_fit"})) {}

  ScheduleRecord record_of(const std::string& text) const {
    const auto schedule = problem_.read(text);
    EXPECT_TRUE(schedule) << schedule.error().message();
    const Proposal proposal = Proposal::of(*schedule, *problem_.constructs);
    return {.problem = problem_.signature,
            .hash = proposal.hash,
            .text = proposal.text,
            .decisions = decisions_of(proposal.schedule)};
  }
  static std::vector<Decision> named(const DecisionTable& table,
                                     const std::vector<std::uint32_t>& numbers) {
    std::vector<Decision> decisions;
    for (const std::uint32_t number : numbers) decisions.push_back(table.different[number]);
    return decisions;
  }

  Session session_;
  ExploredProblem problem_;
};

const Decision Stored = {"strategy", "fit", "[JtJ]p"};

TEST_F(DecisionTables, AreTheSameOfDecisionsAndOfTexts) {
  const ScheduleRecord record = record_of("r.fit:strategy(\"[JtJ]p\")\n");
  EXPECT_THAT(record.decisions, ElementsAre(Stored));
  ScheduleRecord earlier = record;  // as version 2 of stores has it
  earlier.hash = "earlier";
  earlier.decisions.clear();
  DecisionReader reader(problem_);
  const DecisionTable table = reader.read({&record, &earlier});
  ASSERT_EQ(table.schedules.size(), 2u);
  EXPECT_THAT(named(table, table.schedules[0].said), ElementsAre(Stored));
  EXPECT_EQ(table.schedules[0].said, table.schedules[1].said);
  EXPECT_EQ(table.schedules[0].sites, table.schedules[1].sites);
}

// JtJ has a format only where it is stored.
TEST_F(DecisionTables, KnowTheDefaultsOfTheSitesThatASchedulesHas) {
  const ScheduleRecord standard = record_of("");
  const ScheduleRecord stored = record_of("r.fit:strategy(\"[JtJ]p\")\n");
  DecisionReader reader(problem_);
  const DecisionTable table = reader.read({&standard, &stored});
  const Decision format = {"storage", "fit.JtJ", "structured"};
  const auto defaults = [&](std::size_t i) {
    return named(table, table.site_sets.at(table.schedules[i].sites.value()));
  };
  EXPECT_THAT(table.schedules[0].said, IsEmpty());
  EXPECT_THAT(defaults(0), Not(Contains(format)));
  EXPECT_THAT(defaults(1), Contains(format));
  EXPECT_THAT(defaults(1), Not(Contains(Stored)));
}

TEST_F(DecisionTables, KnowTheStrategyOfEachResidualWhateverLowLevelConstructsDecide) {
  const ScheduleRecord standard = record_of("");
  const ScheduleRecord stored = record_of("r.fit:strategy(\"[JtJ]p\")\n");
  DecisionReader reader(problem_);
  DecisionTable table = reader.read({&standard, &stored});
  const Decision parts = {"number", "parts", "1"};
  EXPECT_THAT(named(table, table.schedules[0].facts),
              ElementsAre(parts, Decision{"strategy", "residual fit[1]", "JtJp"}));
  EXPECT_THAT(named(table, table.schedules[1].facts),
              ElementsAre(parts, Decision{"strategy", "residual fit[1]", "[JtJ]p"}));
  // A block decides about a kernel that is there without it.
  const ScheduleRecord block = record_of("r.fit:block{role=\"cost\", threads=64}\n");
  table = DecisionReader(problem_).read({&standard, &block});
  EXPECT_EQ(table.schedules[0].sites, table.schedules[1].sites);
  EXPECT_EQ(table.site_sets.size(), 1u);
}

TEST_F(DecisionTables, SayWhatCannotBeRead) {
  const ScheduleRecord foreign = {
      .problem = problem_.signature, .hash = "x", .text = "r.fit:number(3)\n"};
  ScheduleRecord told = foreign;  // by whom the construct was loaded
  told.hash = "y";
  told.decisions = {{"number", "fit", "3"}};
  DecisionReader reader(problem_);
  const DecisionTable table = reader.read({&foreign, &told});
  EXPECT_FALSE(table.schedules[0].is_known);
  EXPECT_TRUE(table.schedules[1].is_known);
  EXPECT_THAT(named(table, table.schedules[1].said), ElementsAre(told.decisions[0]));
  EXPECT_FALSE(table.schedules[1].sites.has_value());
}

}  // namespace
}  // namespace thallo
