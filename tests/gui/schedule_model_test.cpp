#include "gui/models/schedule_model.h"

#include <set>
#include <stop_token>

#include <gtest/gtest.h>
#include <QSignalSpy>

#include "gui/models/analysis.h"
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

  OpenWorkspace open{{.problem = "poisson_image_editing", .device = "h200"}};
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
  model.undoStack().undo();
  EXPECT_EQ(text(), before);
  EXPECT_EQ(model.name(), "default");
  model.undoStack().redo();
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
        open.workspace.problems().analysis()->sites(model.schedule().value->schedule, stop);
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

}  // namespace
}  // namespace thallo::test
