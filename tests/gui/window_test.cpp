#include "gui/app/main_window.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QShortcut>
#include <QStyle>
#include <QTest>

#include "gui/app/screenshot.h"
#include "gui/schedule/view/time_strip.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/view/page.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

TEST(Window, ShowsTheSchedulesOfAProblemAndTakesOneByAClick) {
  OpenWorkspace open(small_poisson("h200"));
  gui::MainWindow window(open.workspace);
  window.show();
  auto* list = window.findChild<QListWidget*>("scheduleList");
  ASSERT_GE(list->count(), 4);
  const auto* strip = window.findChild<gui::TimeStrip*>("timeStrip");
  const QString before = strip->summary();
  const QRect last = list->visualItemRect(list->item(list->count() - 1));
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, last.center());
  ASSERT_TRUE(wait_until([&] { return open.workspace.schedule().name() == "auto"; }));
  EXPECT_NE(strip->summary(), before);
  EXPECT_GT(strip->segmentCount(), 3);
  const gui::TimeEstimate& time = open.workspace.schedule().schedule().value->time;
  EXPECT_GT(strip->restSeconds(), 0);
  EXPECT_NEAR(time.ofSteps(false) + time.ofSteps(true) + strip->restSeconds(), time.seconds(),
              1e-9 * time.seconds());
}

TEST(Window, OpensWhatIsBesideTheSteps) {
  OpenWorkspace open(small_poisson("h200"));
  gui::MainWindow window(open.workspace);
  window.resize(1440, 900);
  window.show();
  auto* strip = window.findChild<gui::TimeStrip*>("timeStrip");
  // It is the last of the segments, to the right of which the summary is.
  const gui::TimeEstimate time = open.workspace.schedule().schedule().value->time;
  for (int x = strip->width(); x > 0 && !open.workspace.inspector().current(); x -= 8)
    QTest::mouseClick(strip, Qt::LeftButton, {}, {x, strip->height() / 2});
  ASSERT_TRUE(open.workspace.inspector().current());
  EXPECT_EQ(open.workspace.selection().current(), gui::besideStepsSelection());
  EXPECT_EQ(open.workspace.inspector().current()->rows.size(), time.besideParts().size());
  EXPECT_GE(time.besideParts().size(), 3u);
}

TEST(Window, IsNoWiderThanAThousandPixelsOnAnyPage) {
  OpenWorkspace open({.problem = "bundle_adjustment", .device = "h200"});
  gui::MainWindow window(open.workspace);
  window.resize(1000, 700);
  window.show();
  for (const gui::Page* page : window.pages()) {
    ASSERT_TRUE(window.showPage(page->id()));
    ASSERT_TRUE(wait_until([&] { return !gui::ShownRefresh::isUnderWay(window); }));
    EXPECT_LE(window.minimumSizeHint().width(), 1000) << page->id().toStdString();
  }
}

TEST(Window, GivesTheKeysToTheGraphOnItsPage) {
  OpenWorkspace open({.problem = "curve_fit", .device = "h200"});
  gui::MainWindow window(open.workspace);
  window.show();
  QApplication::setActiveWindow(&window);
  ASSERT_TRUE(wait_until([&] { return open.workspace.graph().graph().isReady(); }));
  ASSERT_TRUE(window.showPage("graph"));
  ASSERT_NE(QApplication::focusWidget(), nullptr);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), "graphView");
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  EXPECT_EQ(window.currentPage().id(), "graph");
  EXPECT_EQ(open.workspace.selection().current().kind, gui::Selection::Kind::Node);
}

TEST(Window, ClosesByAKeyAlsoWhileATextHasTheKeys) {
  OpenWorkspace open{{.problem = "curve_fit", .device = "h200"}};
  gui::MainWindow window{open.workspace};
  window.showPage("schedule");
  window.show();
  QApplication::setActiveWindow(&window);
  auto* text = window.findChild<QPlainTextEdit*>("scheduleText");
  ASSERT_NE(text, nullptr);
  text->setFocus();
  QTest::keyClick(text, Qt::Key_Q, Qt::ControlModifier);
  EXPECT_TRUE(wait_until([&] { return !window.isVisible(); }));
}

TEST(Window, ListsSchedulesWithWhatIsKnownOfTheirTimes) {
  OpenWorkspace open({.problem = "image_warping", .device = "h200"});
  gui::MainWindow window(open.workspace);
  const auto* list = window.findChild<QListWidget*>("scheduleList");
  const auto known = [list](const QString& name) {
    for (int i = 0; i < list->count(); ++i) {
      const QString text = list->item(i)->data(Qt::AccessibleTextRole).toString();
      if (text.startsWith(name + ' ')) return text;
    }
    return QString();
  };
  ASSERT_TRUE(wait_until([&] { return known("published-default").contains("measured"); }));
  EXPECT_TRUE(known("published-default").contains("predicted"));
  open.workspace.space().openStore("/nowhere.store");
  ASSERT_TRUE(wait_until([&] { return !known("published-default").contains("measured"); }));
  EXPECT_TRUE(known("published-default").contains("predicted"));
}

TEST(Window, FindsAStepByItsNameWithTheKeyboard) {
  OpenWorkspace open(small_poisson("h200"));
  gui::MainWindow window(open.workspace);
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
  auto* box = window.findChild<QWidget*>("searchBox");
  ASSERT_TRUE(box->isVisible());
  auto* line = box->findChild<QLineEdit*>();
  QTest::keyClicks(line, "retract");
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_FALSE(box->isVisible());
  EXPECT_EQ(open.workspace.selection().current(),
            (gui::Selection{gui::Selection::Kind::Step, "retract"}));
  ASSERT_TRUE(open.workspace.inspector().current().has_value());
  EXPECT_EQ(open.workspace.inspector().current()->title, "retract");
}

// The shipped spec of a CPU stands for any, and names the one that it was measured on.
TEST(Window, CallsACpuAsItIsCalledOnThisMachine) {
  const TempDir folder;
  const std::filesystem::path program = folder.path() / "thallo";
  std::ofstream(program) << "#!/bin/sh\necho '[{\"backend\": \"cpu\", \"devices\": [{\"name\": "
                            "\"CPU of a test\"}]}]'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  gui::WorkspaceOptions options = workspace_options();
  options.workerCommand = {QString::fromStdString(program.string()), "worker"};
  options.store = QString::fromStdString((folder.path() / "made.store").string());
  gui::Workspace workspace(options);
  gui::MainWindow window(workspace);
  window.showPage("space");
  window.show();
  const auto title_on = [&](const QString& device) {
    workspace.open({.problem = "curve_fit", .device = device}, "default");
    EXPECT_TRUE(wait_until([&] {
      return workspace.problems().problem().isReady() && workspace.problems().knowsDevices() &&
             window.currentPage().isSettled();
    }));
    return window.windowTitle().toStdString();
  };
  EXPECT_THAT(title_on("cpu"), testing::HasSubstr(" · CPU of a test (cpu)[*]"));
  EXPECT_THAT(window.currentPage().message().toStdString(),
              testing::HasSubstr("schedules on CPU of a test (about 2 min)"));
  EXPECT_THAT(title_on("h200"), testing::HasSubstr(" · NVIDIA H200[*]"));
  EXPECT_THAT(window.currentPage().message().toStdString(),
              testing::HasSubstr("schedules on NVIDIA H200, which must be in this machine"));
  const auto* devices = window.findChild<QComboBox*>("deviceChoice");
  EXPECT_EQ(devices->itemText(devices->findData("cpu")).toStdString(), "CPU of a test (cpu)");
}

// The keys of what is on a page and of what is beside all pages, hidden or not.
QStringList keys_on(const gui::MainWindow& window, const gui::Page& page) {
  QStringList keys;
  const auto add = [&](const QObject* owner, const QKeySequence& key) {
    const gui::Page* on = nullptr;
    for (const QObject* at = owner; at != nullptr && on == nullptr; at = at->parent())
      on = qobject_cast<const gui::Page*>(at);
    if (!key.isEmpty() && (on == nullptr || on == &page)) keys.append(key.toString());
  };
  for (const QAction* action : window.findChildren<QAction*>()) add(action, action->shortcut());
  for (const auto* button : window.findChildren<QAbstractButton*>())
    add(button, button->shortcut());
  for (const QShortcut* shortcut : window.findChildren<QShortcut*>())
    add(shortcut, shortcut->key());
  return keys;
}

// Qt runs neither of two things that have one key.
TEST(Window, GivesEachKeyOneMeaningOnEveryPage) {
  OpenWorkspace open(small_poisson("h200"));
  gui::MainWindow window(open.workspace);
  const auto pages = window.findChildren<gui::Page*>();
  ASSERT_EQ(pages.size(), 8);  // seven, of which one contains the graph's once more
  for (const gui::Page* page : pages) {
    QStringList keys = keys_on(window, *page);
    EXPECT_TRUE(keys.contains("Ctrl+Shift+S")) << "of the session";
    const std::string all = keys.join(" ").toStdString();
    EXPECT_EQ(keys.removeDuplicates(), 0) << page->id().toStdString() << ": " << all;
  }
}

// Qt crashed at the second change, in widgets that the first had deleted under its hands.
// Takes seconds, since Qt gives every widget its style again. It alone finds widgets that keep a
// style or a color of the other theme.
TEST(Window, ChangesBetweenLightAndDarkOnEveryPage) {
  OpenWorkspace open({.problem = "curve_fit", .device = "h200"});
  gui::MainWindow window(open.workspace);
  gui::setTheme(gui::Theme::Light);
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  const QStyle* base = QApplication::style();
  for (const gui::Page* page : window.pages()) {
    ASSERT_TRUE(window.showPage(page->id()));
    for (int i = 0; i < 2; ++i) {
      const gui::Theme before = gui::currentTheme();
      QTest::keyClick(&window, Qt::Key_T, Qt::ControlModifier);
      QCoreApplication::processEvents();
      ASSERT_NE(gui::currentTheme(), before) << page->id().toStdString();
      ASSERT_EQ(window.palette().color(QPalette::Window), gui::ink(gui::Ink::Surface));
    }
  }
  EXPECT_EQ(QApplication::style(), base) << "the style must outlive the widgets that hold it";
}

TEST(Window, WritesAPictureWhenThePageIsReady) {
  OpenWorkspace open(small_poisson("h200"));
  gui::MainWindow window(open.workspace);
  window.resize(1280, 720);
  window.show();
  const TempDir folder;
  const QString file = QString::fromStdString((folder.path() / "page.png").string());
  std::optional<QString> fault;
  new gui::Screenshot(window, file, [&](const QString& why) { fault = why; });
  ASSERT_TRUE(wait_until([&] { return fault.has_value(); }));
  EXPECT_EQ(fault->toStdString(), "");
  EXPECT_EQ(QImage(file).size(), QSize(1280, 720));
}

}  // namespace
}  // namespace thallo::test
