// What a person makes of a schedule, through the model: it is on the shelf from the first change
// on, and the changes of a problem that was left can be undone when it is open again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QFile>
#include <QSignalSpy>

#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::Kept;
using testing::ElementsAre;

const gui::ProblemRequest Poisson = small_poisson("h200");

class KeptSchedules : public testing::Test {
 protected:
  KeptSchedules() { open(Poisson, "default"); }
  static gui::WorkspaceOptions options(const TempDir& dir) {
    gui::WorkspaceOptions options = workspace_options();
    options.shelf = QString::fromStdString(dir.path().string());
    return options;
  }
  void open(const gui::ProblemRequest& request, const QString& schedule = {}) {
    workspace.open(request, schedule);
    settle();
  }
  void settle() {
    ASSERT_TRUE(wait_until([this] {
      return !model.isChanging() && model.schedule().isReady() && model.sites().isReady();
    })) << model.schedule().error.toStdString();
  }
  void choose(const QString& label) {
    model.choose("strategy", "reg_down", label);
    settle();
  }
  void type(const QString& text) {
    model.setText(text);
    settle();
  }
  void take(const QString& name) {
    if (const Kept kept = shelf.find(name)) {
      model.take(kept);
    } else {
      for (const auto& named : workspace.problems().problem().value->schedules)
        if (named.name == name) model.take(name, named.text);
    }
    settle();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Kept& kept : shelf.all()) all.push_back(kept->name.toStdString());
    return all;
  }
  // What is on disk, as a program sees it that starts after this one was killed.
  static std::vector<std::string> found_later(const TempDir& dir) {
    gui::ScheduleShelf later(QString::fromStdString(dir.path().string()));
    later.open(Poisson.problem, {});
    std::vector<std::string> all;
    for (const Kept& kept : later.all())
      all.push_back((kept->name + ": " + kept->text + '|' + kept->draft).toStdString());
    return all;
  }

  const TempDir dir;
  gui::Workspace workspace{options(dir)};
  gui::ScheduleModel& model = workspace.schedule();
  gui::ScheduleShelf& shelf = workspace.shelf();
  const QString stored = "r.reg_down:strategy(\"[JtJ]p\")\n";
  const QString half = "r.reg_down:strategy(\"Jt[Jp]\")\n";
};

TEST_F(KeptSchedules, StayWhenANamedOneIsTaken) {
  choose("[JtJ]p");
  EXPECT_EQ(model.name(), "edited");
  choose("Jt[Jp]");
  EXPECT_THAT(names(), ElementsAre("edited")) << "an edit of it is no other one";
  take("default");
  EXPECT_EQ(model.name(), "default");
  EXPECT_THAT(names(), ElementsAre("edited"));
  choose("[JtJ]p");
  EXPECT_EQ(model.name(), "edited 2");
  EXPECT_THAT(names(), ElementsAre("edited", "edited 2"));
  take("edited");
  EXPECT_EQ(model.text(), half);
  choose("[[Jt][J]]p");
  EXPECT_THAT(names(), ElementsAre("edited", "edited 2"));
  EXPECT_EQ(shelf.find("edited 2")->text, stored);
}

TEST_F(KeptSchedules, AreThereAfterACrash) {
  choose("[JtJ]p");
  type(stored + "-- a note\n");
  EXPECT_THAT(found_later(dir), ElementsAre(("edited: " + stored + "-- a note\n|").toStdString()));
}

TEST_F(KeptSchedules, FollowUndoAndRedoAndTheirNames) {
  choose("[JtJ]p");
  choose("Jt[Jp]");
  const Kept edited = model.kept();
  model.history().undo();
  EXPECT_EQ(edited->text, stored);
  ASSERT_TRUE(shelf.rename(edited, "mine"));
  EXPECT_EQ(model.name(), "mine");
  model.history().redo();
  EXPECT_EQ(model.name(), "mine");
  EXPECT_EQ(edited->text, half);
  model.history().undo();
  model.history().undo();
  EXPECT_EQ(model.name(), "default");
  EXPECT_EQ(edited->text, stored) << "what was undone can be taken again";
}

TEST_F(KeptSchedules, GiveTheirPlaceToWhatIsMadeAfterUndo) {
  choose("[JtJ]p");
  model.history().undo();
  EXPECT_EQ(model.name(), "default");
  choose("Jt[Jp]");
  EXPECT_THAT(names(), ElementsAre("edited"));
  EXPECT_EQ(model.text(), half);
}

TEST_F(KeptSchedules, KeepTextThatHasAFault) {
  const QString faulty = stored + "r.nothing:";
  type(faulty);
  EXPECT_FALSE(model.faults().empty());
  EXPECT_EQ(model.name(), "default") << "until the text has no fault";
  ASSERT_THAT(names(), ElementsAre("edited"));
  EXPECT_TRUE(model.hasFaults(shelf.find("edited")));
  EXPECT_THAT(found_later(dir), ElementsAre(("edited: |" + faulty).toStdString()));
  take("opt");
  EXPECT_TRUE(model.faults().empty());
  take("edited");
  ASSERT_TRUE(wait_until([this] { return !model.faults().empty(); }));
  EXPECT_EQ(model.draft(), faulty);
  take("opt");
  model.history().undo();
  ASSERT_TRUE(wait_until([this] { return !model.faults().empty(); }));
  EXPECT_EQ(model.draft(), faulty) << "also by undo";
  type(stored);
  EXPECT_EQ(model.name(), "edited");
  EXPECT_THAT(found_later(dir), ElementsAre(("edited: " + stored + '|').toStdString()));
}

TEST_F(KeptSchedules, KeepTextThatHasAFaultBesideAnEdit) {
  choose("[JtJ]p");
  const QString faulty = stored + "r.nothing:";
  type(faulty);
  choose("Jt[Jp]");
  EXPECT_TRUE(model.faults().empty());
  EXPECT_EQ(model.text(), half);
  ASSERT_THAT(names(), ElementsAre("edited", "edited 2"));
  EXPECT_EQ(shelf.find("edited 2")->draft, faulty);
  EXPECT_EQ(shelf.find("edited")->draft, "");
}

TEST_F(KeptSchedules, AreNotBegunByTextThatIsTypedAndTakenBack) {
  type("r.");
  EXPECT_THAT(names(), ElementsAre("edited"));
  type("");
  EXPECT_TRUE(names().empty());
  EXPECT_EQ(model.name(), "default");
  type("-- a note");
  EXPECT_EQ(model.name(), "edited") << "notes are work";
  EXPECT_EQ(model.text(), "-- a note");
}

TEST_F(KeptSchedules, ComeBackWithTheirHistoryWhenTheProblemDoes) {
  choose("[JtJ]p");
  choose("Jt[Jp]");
  open({.problem = "curve_fit", .device = "h200"});
  EXPECT_TRUE(names().empty());
  EXPECT_FALSE(model.history().canUndo());
  open(Poisson);
  EXPECT_EQ(model.name(), "edited");
  EXPECT_EQ(model.text(), half);
  model.history().undo();
  settle();
  EXPECT_EQ(model.text(), stored);
  model.history().undo();
  settle();
  EXPECT_EQ(model.name(), "default");
  model.history().redo();
  settle();
  EXPECT_EQ(model.text(), stored);
  choose("Jt[Jp]");
  EXPECT_THAT(names(), ElementsAre("edited"));
}

TEST_F(KeptSchedules, ComeBackToWhatWasTypedLast) {
  const QString faulty = "r.nothing:";
  model.setText(faulty);  // and nobody has looked whether it has faults
  workspace.open({.problem = "curve_fit", .device = "h200"});
  settle();
  open(Poisson);
  ASSERT_TRUE(wait_until([this] { return !model.faults().empty(); }));
  EXPECT_EQ(model.draft(), faulty);
}

TEST_F(KeptSchedules, CanBeUndoneOnAnotherDevice) {
  choose("[JtJ]p");
  workspace.lookOn("cpu");
  ASSERT_TRUE(wait_until([this] { return model.name() == "edited"; }));
  settle();
  EXPECT_THAT(names(), ElementsAre("edited"));
  model.history().undo();
  settle();
  EXPECT_EQ(model.name(), "default");
  EXPECT_EQ(workspace.problems().request().device, "cpu");
}

TEST_F(KeptSchedules, AreBroughtBackByUndoWhenTheyWereDeleted) {
  choose("[JtJ]p");
  const Kept edited = model.kept();
  take("opt");
  shelf.remove(edited);
  EXPECT_TRUE(names().empty());
  model.history().undo();
  EXPECT_EQ(model.name(), "edited");
  EXPECT_THAT(names(), ElementsAre("edited"));
  EXPECT_THAT(found_later(dir), ElementsAre(("edited: " + stored + '|').toStdString()));
}

TEST_F(KeptSchedules, OfASessionDoNotReplaceOthers) {
  choose("[JtJ]p");
  gui::SessionData session = workspace.session();
  EXPECT_TRUE(session.isEdited);
  choose("Jt[Jp]");
  workspace.restore(session);
  ASSERT_TRUE(wait_until([this] { return model.text() == stored; }));
  EXPECT_THAT(names(), ElementsAre("edited", "edited 2"));
  EXPECT_EQ(shelf.find("edited")->text, half);
  settle();
  workspace.restore(session);
  ASSERT_TRUE(wait_until([this] { return model.schedule().value != nullptr; }));
  settle();
  EXPECT_THAT(names(), ElementsAre("edited", "edited 2")) << "it is there already";
}

TEST_F(KeptSchedules, AreListedWithTheirTimesWhenTheProgramStarts) {
  shelf.add("mine", stored);
  shelf.add("old", "r.gone:strategy(\"[JtJ]p\")\n");
  gui::Workspace later(options(dir));
  later.open(Poisson, "default");
  gui::ScheduleModel& its = later.schedule();
  ASSERT_TRUE(wait_until([&] { return its.sites().isReady(); }));
  ASSERT_EQ(later.shelf().all().size(), 2);
  ASSERT_TRUE(
      wait_until([&] { return its.shelfTimes().of(later.shelf().find("mine")) != nullptr; }));
  EXPECT_GT(its.shelfTimes().of(later.shelf().find("mine"))->seconds.value_or(0), 0);
  EXPECT_TRUE(its.shelfTimes().of(later.shelf().find("old"))->illegal.contains("gone"));
  its.take(later.shelf().find("old"));
  ASSERT_TRUE(wait_until([&] { return !its.faults().empty(); }));
  EXPECT_TRUE(its.draft().contains("gone")) << "to be mended";
  its.setText(half);
  ASSERT_TRUE(wait_until([&] { return its.name() == "old"; }));
  EXPECT_EQ(later.shelf().find("old")->text, half);
}

TEST_F(KeptSchedules, AreLoadedFromAFile) {
  const auto file = dir.write("mine.sched", "-- measured\n" + stored.toStdString());
  model.load(QString::fromStdString(file.string()));
  ASSERT_TRUE(wait_until([this] { return model.name() == "mine"; }));
  EXPECT_EQ(model.text(), "-- measured\n" + stored);
  model.history().undo();
  EXPECT_EQ(model.name(), "default");

  const QSignalSpy refused(&model, &gui::ScheduleModel::notLoaded);
  const auto wrong = dir.write("wrong.sched", "\nr.reg_dwn:strategy(\"[JtJ]p\")\n");
  model.load(QString::fromStdString(wrong.string()));
  ASSERT_TRUE(wait_until([&] { return refused.count() == 1; }));
  const std::string why = refused.front().front().toString().toStdString();
  EXPECT_THAT(why, testing::HasSubstr(wrong.string() + ":2:"));
  EXPECT_THAT(why, testing::HasSubstr("reg_down"));
  model.load("/nowhere/at.sched");
  ASSERT_TRUE(wait_until([&] { return refused.count() == 2; }));
  EXPECT_THAT(refused.back().front().toString().toStdString(),
              testing::HasSubstr("/nowhere/at.sched: there is no such file"));
  EXPECT_THAT(names(), ElementsAre("mine"));
}

}  // namespace
}  // namespace thallo::test
