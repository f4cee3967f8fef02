#include "gui/schedule/schedule_model.h"

#include <algorithm>
#include <set>
#include <stop_token>

#include <gtest/gtest.h>
#include <QSignalSpy>

#include "gui/schedule/schedule_edits.h"
#include "gui/schedule/site_lists.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using gui::ScheduleModel;

class ScheduleModelTest : public testing::Test {
 protected:
  bool is_settled() {
    return model.schedule().isReady() && model.sites().isReady() &&
           model.sites().value->hash == model.schedule().value->hash &&
           !open.workspace.analysisRunner().isBusy("weights");
  }
  void settle() {
    ASSERT_TRUE(wait_until([this] { return is_settled(); }));
  }
  std::string text() { return model.schedule().value->text.toStdString(); }

  OpenWorkspace open{small_poisson("h200")};
  ScheduleModel& model = open.workspace.schedule();
};

TEST_F(ScheduleModelTest, ChangesATimeByAChoice) {
  settle();
  const gui::TimeEstimate before = model.schedule().value->time;
  model.choose("strategy", "reg_down", "Jt[Jp]");
  model.choose("strategy", "reg_down", "[JtJ]p");
  ASSERT_TRUE(wait_until([this] { return text().find("[JtJ]p") != std::string::npos; }))
      << model.schedule().error.toStdString();
  settle();
  EXPECT_NE(model.schedule().value->time.nonlinear, before.nonlinear);
  EXPECT_EQ(model.name(), "edited");
  ASSERT_NE(model.before(), nullptr);
  EXPECT_EQ(model.previous().name, "edited") << "after the first of the two";
  EXPECT_TRUE(model.previous().snapshot->text.contains("Jt[Jp]"));
}

TEST_F(ScheduleModelTest, UndoesAndRedoesChanges) {
  settle();
  const std::string before = text();
  const QString site = model.sites().value->sites.back().name;
  model.take("auto", open.workspace.problems().problem().value->schedules.back().text);
  ASSERT_TRUE(wait_until([&] { return model.name() == "auto"; }));
  const std::string after = text();
  ASSERT_NE(before, after);
  model.history().undo();
  EXPECT_EQ(text(), before);
  EXPECT_EQ(model.name(), "default");
  model.history().redo();
  EXPECT_EQ(text(), after);
  EXPECT_EQ(model.name(), "auto");
}

TEST_F(ScheduleModelTest, KeepsTheScheduleAndTheTextThatHasAFault) {
  settle();
  const std::string before = text();
  model.setText("\nr.nothing:strategy(\"[JtJ]p\")\n");
  ASSERT_TRUE(wait_until([this] { return !model.faults().empty(); }));
  EXPECT_EQ(model.faults().front().line, 2);
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(model.draft().contains("nothing"));
  model.setText("");
  ASSERT_TRUE(wait_until([this] { return model.faults().empty(); }));
  EXPECT_EQ(model.draft(), "");
}

TEST_F(ScheduleModelTest, PricesEveryLegalChoice) {
  settle();
  int num_priced = 0, num_illegal = 0;
  for (const gui::SiteRow& site : model.sites().value->sites) {
    for (const gui::ChoiceRow& choice : site.choices) {
      EXPECT_EQ(choice.seconds.has_value(), choice.illegal.isEmpty())
          << choice.directive.toStdString();
      num_priced += choice.seconds.has_value() ? 1 : 0;
      num_illegal += choice.illegal.isEmpty() ? 0 : 1;
    }
    EXPECT_EQ(site.choices[site.chosen].seconds, model.schedule().value->time.nonlinear);
  }
  EXPECT_GT(num_priced, 20);
  EXPECT_GT(num_illegal, 0);
}

TEST_F(ScheduleModelTest, FindingWhatFitsInMemoryEndsWhenAsked) {
  const auto reasons = [this](const std::stop_token& stop) {
    const auto table =
        gui::listSites(*open.workspace.problems().opened(), model.schedule().value->schedule, stop);
    std::set<QString> different;
    for (const gui::SiteRow& site : table.value().sites)
      for (const gui::ChoiceRow& choice : site.choices) different.insert(choice.illegal);
    return different;
  };
  settle();
  const QString unknown = "it was not found out whether it fits in memory";
  EXPECT_FALSE(reasons({}).contains(unknown));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(reasons(stop.get_token()).contains(unknown));
}

TEST_F(ScheduleModelTest, TellsWhyAChoiceIsRefused) {
  settle();
  const QSignalSpy refused(&model, &ScheduleModel::refused);
  model.choose("strategy", "reg_down", "nonsense");
  ASSERT_TRUE(wait_until([&] { return refused.count() == 1; }));
  EXPECT_TRUE(refused.front().front().toString().contains("nonsense"));
  EXPECT_TRUE(model.schedule().isReady());
}

class PlacementTest : public testing::Test {
 protected:
  void settle() {
    ASSERT_TRUE(wait_until([this] {
      return model.schedule().isReady() && model.sites().isReady() &&
             model.sites().value->hash == model.schedule().value->hash &&
             !open.workspace.analysisRunner().isBusy("weights");
    }));
  }
  void take(const QString& text) {
    model.setText(text);
    ASSERT_TRUE(wait_until([&] { return model.text() == text && model.schedule().isReady(); }))
        << model.draft().toStdString();
    settle();
  }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
  ScheduleModel& model = open.workspace.schedule();
};

TEST_F(PlacementTest, AChoiceAtAResidualIsWhatADropOfItIs) {
  settle();
  const QString before = model.schedule().value->hash;
  gui::ItemGroups groups = model.sites().value->groupsOf("split_merge")->groups;
  model.choose("split_merge", "reg_left[1]", "with fit[1]");
  settle();
  const QString chosen = model.schedule().value->text;
  EXPECT_NE(model.schedule().value->hash, before);
  model.history().undo();
  settle();
  for (QStringList& group : groups) {
    group.removeAll("reg_left[1]");
    if (group.contains("fit[1]")) group.append("reg_left[1]");
  }
  model.change({{.construct = "split_merge", .groups = groups}});
  settle();
  EXPECT_EQ(model.schedule().value->text, chosen);
}

TEST_F(PlacementTest, ASplitTakesDecisionsAlongAndIsNotChargedForThem) {
  take("r.reg_up:strategy(\"[JtJ]p\")\nr.reg_up:reorder{h, w}\n");
  const double before = model.schedule().value->time.nonlinear;
  const gui::SiteRow* site = model.sites().value->find("split_merge@reg_up[2]");
  ASSERT_NE(site, nullptr);
  const auto choice = std::ranges::find(site->choices, "new", &gui::ChoiceRow::label);
  ASSERT_NE(choice, site->choices.end());
  const double promised = choice->seconds.value();
  model.choose("split_merge", "reg_up[2]", "new");
  settle();
  const gui::ScheduleSnapshot& split = *model.schedule().value;
  for (const char* decision : {"r.reg_up_1:strategy(\"[JtJ]p\")", "r.reg_up_2:strategy(\"[JtJ]p\")",
                               "r.reg_up_1:reorder{h, w}", "r.reg_up_2:reorder{h, w}"})
    EXPECT_TRUE(split.text.contains(decision)) << split.text.toStdString();
  EXPECT_TRUE(split.dropped.empty());
  EXPECT_DOUBLE_EQ(split.time.nonlinear, promised);
  // As if both parts had been written with their decisions.
  const auto written = gui::readSchedule(*open.workspace.problems().opened(), split.text);
  EXPECT_DOUBLE_EQ(written.value().time.nonlinear, promised);
  EXPECT_GT(before, 0);
}

TEST_F(PlacementTest, AMergeKeepsWhatBothSayAndTellsWhatItDrops) {
  take("r.reg_up:strategy(\"[JtJ]p\")\nr.reg_down:strategy(\"[JtJ]p\")\nr.reg_up:reorder{h, w}\n");
  gui::ItemGroups groups = model.sites().value->groupsOf("split_merge")->groups;
  std::erase_if(groups, [](const QStringList& group) { return group.contains("reg_up[1]"); });
  for (QStringList& group : groups)
    if (group.contains("reg_down[1]")) group.append({"reg_up[1]", "reg_up[2]"});
  model.change({{.construct = "split_merge", .groups = groups}});
  settle();
  const gui::ScheduleSnapshot& merged = *model.schedule().value;
  EXPECT_TRUE(merged.text.contains("r.reg_down_reg_up:strategy(\"[JtJ]p\")"))
      << merged.text.toStdString();
  EXPECT_FALSE(merged.text.contains("reorder"));
  ASSERT_EQ(merged.dropped.size(), 1u);
  EXPECT_EQ(merged.dropped.front().text, "r.reg_up:reorder{h, w}");
  EXPECT_EQ(merged.dropped.front().why, "r.reg_up and r.reg_down differ in this, and are merged");
}

}  // namespace
}  // namespace thallo::test
