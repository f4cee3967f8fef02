// Everything can be reached by the keyboard, and a screen reader has a name for all that takes
// keys: on all pages, in all dialogs and in what appears over them.
#include <set>

#include <gtest/gtest.h>
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/problem/view/new_energy_dialog.h"
#include "gui/problem/view/plugin_dialog.h"
#include "gui/problem/view/problem_page.h"
#include "gui/workspace/view/log_dialog.h"
#include "tests/gui/own_energy.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

// The way to a widget, for messages: "mainWindow/problemPage/QLineEdit".
std::string way_to(const QObject& object) {
  QString way;
  for (const QObject* at = &object; at != nullptr; at = at->parent()) {
    const QString name =
        at->objectName().isEmpty() ? at->metaObject()->className() : at->objectName();
    if (at == &object || !at->objectName().isEmpty()) way = way.isEmpty() ? name : name + '/' + way;
  }
  return way.toStdString();
}

// True for what a widget of Qt consists of: the line of a spin box, the button that clears a line.
bool is_inside_another(const QObject& object) {
  for (const QObject* at = object.parent(); at != nullptr; at = at->parent()) {
    if (qobject_cast<const QAbstractSpinBox*>(at) != nullptr ||
        qobject_cast<const QComboBox*>(at) != nullptr ||
        qobject_cast<const QLineEdit*>(at) != nullptr ||
        qobject_cast<const QTabBar*>(at) != nullptr)
      return true;
    const auto* area = qobject_cast<const QAbstractScrollArea*>(at);
    if (area != nullptr && area->viewport() == &object) return true;
  }
  return false;
}

void expect_names(const QWidget& root, const std::string& where) {
  SCOPED_TRACE(where);
  int count = 0;
  for (QWidget* widget : root.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || !widget->isEnabled() ||
        is_inside_another(*widget))
      continue;
    ++count;
    QAccessibleInterface* its = QAccessible::queryAccessibleInterface(widget);
    ASSERT_NE(its, nullptr) << way_to(*widget);
    EXPECT_FALSE(its->text(QAccessible::Name).trimmed().isEmpty()) << way_to(*widget);
  }
  EXPECT_GT(count, 0) << "nothing takes keys";
}

bool takes_tab(const QWidget& widget) { return (widget.focusPolicy() & Qt::TabFocus) != 0; }

bool has_mnemonic(const QString& text) { return !QKeySequence::mnemonic(text).isEmpty(); }

// Each button can be tabbed to, or has a key.
void expect_keys_of_buttons(const QWidget& root, const std::string& where) {
  SCOPED_TRACE(where);
  for (const auto* button : root.findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || is_inside_another(*button)) continue;
    EXPECT_TRUE(takes_tab(*button) || !button->shortcut().isEmpty() || has_mnemonic(button->text()))
        << way_to(*button);
  }
}

// Each action has a key, or is in the menu, or stands behind the button, that can be tabbed to.
void expect_keys_of_actions(const QWidget& root) {
  for (const auto* action : root.findChildren<QAction*>()) {
    if (action->isSeparator() || is_inside_another(*action) || action->menu() != nullptr) continue;
    bool is_reached = !action->shortcut().isEmpty() || has_mnemonic(action->text());
    for (const QObject* owner : action->associatedObjects()) {
      const auto* taker = qobject_cast<const QToolButton*>(owner);
      is_reached = is_reached || (taker != nullptr && takes_tab(*taker));
      for (const auto* button : root.findChildren<QToolButton*>())
        is_reached = is_reached || (button->menu() == owner && takes_tab(*button));
    }
    EXPECT_TRUE(is_reached) << action->text().toStdString() << " of " << way_to(*action);
  }
}

void expect_all(const QWidget& root, const std::string& where) {
  ASSERT_TRUE(wait_until([&] { return !gui::ShownRefresh::isUnderWay(root); })) << where;
  expect_names(root, where);
  expect_keys_of_buttons(root, where);
}

class Access : public testing::Test {
 protected:
  Access() {
    window.resize(1440, 900);
    window.show();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  // Looks at the dialog that is open, and closes it.
  void expect_dialog(QDialog* dialog) {
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(wait_until([&] { return dialog->isVisible(); }));
    expect_all(*dialog, dialog->windowTitle().toStdString());
    expect_keys_of_actions(*dialog);
    QTest::keyClick(dialog, Qt::Key_Escape);
    EXPECT_FALSE(dialog->isVisible()) << "Esc closes a dialog";
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }

  // It has sites of many kinds, and its space is counted at once.
  OpenWorkspace open{{.problem = "bundle_fusion", .device = "h200"}};
  gui::MainWindow window{open.workspace};
};

TEST_F(Access, NamesAllThatTakesKeysOnEveryPage) {
  ASSERT_TRUE(wait_until(
      [&] { return open.workspace.guide().isWeighed() && !open.workspace.guide().isComing(); }));
  for (gui::Page* page : window.pages()) {
    ASSERT_TRUE(window.showPage(page->id()));
    ASSERT_TRUE(wait_until([&] { return page->state() != gui::RemoteState::Busy; }));
    expect_all(window, page->id().toStdString());
  }
  expect_keys_of_actions(window);
}

TEST_F(Access, NamesWhatAppearsOnAPage) {
  window.showPage("problem");
  for (auto* tabs : {window.findChild<QTabBar*>("problemTabs")})
    for (int i = 0; i < tabs->count(); ++i) {
      tabs->setCurrentIndex(i);
      expect_all(window, tabs->tabText(i).toStdString());
    }
  window.findChild<gui::ProblemPage*>()->showStart();
  expect_all(window, "start");
  window.showPage("schedule");
  window.findChild<QTabBar*>("scheduleWays")->setCurrentIndex(1);
  expect_all(window, "comparison");
  window.tour().start();
  expect_all(window, "tour");
  QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
  expect_all(*window.findChild<QWidget*>("searchBox"), "search");
}

// The editor of each kind of site.
TEST_F(Access, NamesTheEditorsOfAllSites) {
  window.showPage("schedule");
  const auto table = open.workspace.schedule().sites().value;
  std::set<QString> seen;
  for (const gui::SiteRow& site : table->sites) {
    if (!seen.insert(site.construct).second) continue;
    open.workspace.selection().select({gui::Selection::Kind::Site, site.id()});
    expect_all(window, site.id().toStdString());
  }
}

TEST_F(Access, NamesAllThatTakesKeysInDialogs) {
  const OwnEnergy own;
  gui::Workspace& workspace = open.workspace;
  auto* energy = gui::showNewEnergy(workspace, own.energy(), &window);
  ASSERT_TRUE(wait_until([&] { return energy->findChild<QLineEdit*>("input_A") != nullptr; }));
  expect_dialog(energy);
  expect_dialog(gui::showPlugins(workspace, &window));
  expect_dialog(gui::showLog(workspace.log(), &window));
}

}  // namespace
}  // namespace thallo::test
