#include "gui/workspace/session_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::SessionData;
using testing::HasSubstr;

class SessionFile : public testing::Test {
 protected:
  std::string fault_of(std::string_view text) {
    const auto session =
        gui::readSession(QString::fromStdString(folder.write("a.json", text).string()));
    return session ? "" : session.error().message();
  }
  TempDir folder;
};

TEST_F(SessionFile, ReadsWhatWasWritten) {
  const SessionData session{.problem = {"image_warping", {{"size", "128"}}, "h200"},
                            .problemFile = "/home/me/own.toml",
                            .scheduleName = "edited",
                            .scheduleText = "r.fit:strategy(\"[JtJ]p\")\n",
                            .previousName = "auto",
                            .previousText = "r.fit:strategy(\"Jt\")\n",
                            .page = "graph",
                            .parts = {{"space", QJsonObject{{"store", "a.store"}}}}};
  const QString file = QString::fromStdString((folder.path() / "a.thallo-session").string());
  ASSERT_TRUE(gui::writeSession(file, session));
  const auto read = gui::readSession(file);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, session);
}

TEST_F(SessionFile, TellsWhatIsWrongWithAFile) {
  EXPECT_THAT(fault_of("{"), HasSubstr("is no session: at byte"));
  EXPECT_THAT(fault_of("{}"), HasSubstr("'format'"));
  EXPECT_THAT(fault_of(R"({"format": "thallo-explorer session", "version": 9})"),
              HasSubstr("of version 9, and this program reads up to version 1"));
  EXPECT_THAT(fault_of(R"({"format": "thallo-explorer session", "version": 1})"),
              HasSubstr("names no problem"));
  const auto absent = gui::readSession("/nonexistent/session");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("cannot be read"));
  EXPECT_FALSE(gui::writeSession("/nonexistent/session", {}));
}

// Reading them would not end.
TEST_F(SessionFile, RefusesADeviceAndAPipe) {
  const auto zeros = gui::readSession("/dev/zero");
  ASSERT_FALSE(zeros);
  EXPECT_EQ(zeros.error().message(), "/dev/zero: this is a device, not a session");
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto waiting = gui::readSession(QString::fromStdString(pipe.string()));
  ASSERT_FALSE(waiting);
  EXPECT_THAT(waiting.error().message(), HasSubstr("this is a pipe, not a session"));
}

TEST_F(SessionFile, RestoresTheProblemTheScheduleAndWhatPagesWereSetTo) {
  const gui::Selection selection{gui::Selection::Kind::Site, "strategy@reg_down"};
  const gui::SolveSettings settings{.backend = "cpu", .solverOptions = {{"nIterations", "3"}}};
  const gui::SpaceFilter filter{.show = gui::SpaceFilter::Show::Timed,
                                .seconds = std::pair(1e-3, 0.1),
                                .choices = {{"reg_down:strategy", "[JtJ]p"}},
                                .words = "number"};
  const gui::CompareWith with{gui::CompareWith::Kind::Named, "auto"};
  SessionData session;
  {
    OpenWorkspace open(small_poisson("h200"));
    open.workspace.schedule().setText("r.reg_down:strategy(\"Jt[Jp]\")\n");
    ASSERT_TRUE(wait_until([&] { return open.workspace.schedule().name() == "edited"; }));
    open.workspace.graph().setExpanded({"part:reg_down"});
    open.workspace.selection().select(selection);
    open.workspace.solve().setSettings(settings);
    open.workspace.space().openStore("/nowhere/a.store");
    open.workspace.space().setFilter(filter);
    open.workspace.space().beside().add({.store = "/nowhere/b.store", .device = "a GPU"});
    open.workspace.comparison().setWith(with);
    open.workspace.comparison().setShown(true);
    open.workspace.pins().restore({"r.reg_left:strategy(\"JtJp\")"});
    ASSERT_TRUE(wait_until([&] { return !open.workspace.pins().all().empty(); }));
    session = open.workspace.session();
  }
  gui::Workspace workspace(workspace_options());
  workspace.restore(session);
  ASSERT_TRUE(wait_until([&] { return workspace.schedule().previous().snapshot != nullptr; }));
  ASSERT_TRUE(wait_until([&] { return !workspace.pins().all().empty(); }));
  EXPECT_EQ(workspace.session(), session);
  EXPECT_EQ(workspace.schedule().previous().name, session.previousName);
  ASSERT_NE(workspace.schedule().before(), nullptr);
  EXPECT_EQ(workspace.graph().expanded(), QStringList("part:reg_down"));
  EXPECT_EQ(workspace.selection().current(), selection);
  EXPECT_EQ(workspace.comparison().with(), with);
  EXPECT_TRUE(workspace.comparison().isShown());
  EXPECT_EQ(workspace.solve().settings(), settings);
  EXPECT_EQ(workspace.space().store(), "/nowhere/a.store");
  EXPECT_EQ(workspace.space().filter(), filter);
  workspace.schedule().history().undo();
  EXPECT_EQ(workspace.schedule().name(), session.previousName);
  EXPECT_EQ(workspace.schedule().text(), session.previousText);
}

// No work is lost: the text is there, with what is wrong.
TEST_F(SessionFile, KeepsAScheduleThatIsNotLegalAsAText) {
  gui::SessionData session;
  session.problem = small_poisson("h200");
  session.scheduleName = "mine";
  session.scheduleText = "r.reg_down:strategy(\"Jt\")\n";
  session.previousName = "auto";
  session.previousText = "r.reg_down:strategy(\"Jp\")\n";
  gui::Workspace workspace(workspace_options());
  QStringList refused;
  QObject::connect(&workspace.schedule(), &gui::ScheduleModel::refused, &workspace,
                   [&](const QString& why) { refused.append(why); });
  workspace.restore(session);
  gui::ScheduleModel& schedule = workspace.schedule();
  ASSERT_TRUE(wait_until([&] { return !schedule.faults().empty(); }));
  EXPECT_TRUE(schedule.schedule().isReady());
  EXPECT_EQ(schedule.name(), workspace.problems().problem().value->schedules.front().name);
  EXPECT_EQ(schedule.draft(), session.scheduleText);
  EXPECT_EQ(refused.size(), 1);
}

}  // namespace
}  // namespace thallo::test
