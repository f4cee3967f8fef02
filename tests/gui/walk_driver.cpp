#include "tests/gui/walk_driver.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

#include "gui/graph/view/graph_page.h"
#include "gui/schedule/view/time_strip.h"

namespace thallo::test {
namespace {

gui::WorkspaceOptions with_files(const QString& shelf, const QString& store) {
  gui::WorkspaceOptions options = workspace_options();
  options.store = store;
  options.shelf = shelf;
  return options;
}

}  // namespace

WalkDriver::WalkDriver(const QString& shelf, const QString& store)
    : workspace(with_files(shelf, store)), window(workspace) {
  window.resize(1440, 900);
  window.show();
  window.activateWindow();
  workspace.problems().rescan();
}

QString WalkDriver::time() { return child<gui::TimeStrip>("timeStrip").summary(); }

void WalkDriver::activate() {
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
}

void WalkDriver::settle() {
  ASSERT_TRUE(wait_until([this] {
    const auto& graph = workspace.graph().graph();
    return window.isSettled() && !schedule().isChanging() && graph.isReady() &&
           graph.value->scheduleHash == hash();
  })) << "window: "
      << window.isSettled() << ", graph: " << workspace.graph().graph().error.toStdString()
      << ", sites: " << schedule().sites().error.toStdString();
}

void WalkDriver::show_page(const QString& title) {
  auto& tabs = child<QTabBar>("pageTabs");
  for (int i = 0; i < tabs.count(); ++i) {
    if (tabs.tabText(i) == title)
      QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(i).center());
  }
  ASSERT_EQ(window.currentPage().title(), title);
  ASSERT_TRUE(wait_until([this] { return !gui::ShownRefresh::isUnderWay(window); }));
}

void WalkDriver::click(const char* button) {
  auto& its = child<QAbstractButton>(button);
  ASSERT_TRUE(wait_until([&] { return its.isVisible() && its.isEnabled(); })) << button;
  QTest::mouseClick(&its, Qt::LeftButton);
}

void WalkDriver::type(QWidget& editor, const QString& words) {
  for (const QChar letter : words) {
    QTest::keyClicks(&editor, letter);
    QCoreApplication::processEvents();
  }
}

void WalkDriver::fill(const char* editor, const QString& words) {
  auto& its = child<QWidget>(editor);
  ASSERT_TRUE(wait_until([&] { return its.isVisible(); })) << editor;
  its.setFocus();
  QTest::keyClick(&its, Qt::Key_A, Qt::ControlModifier);
  type(its, words);
  QTest::keyClick(&its, Qt::Key_Tab);
  QCoreApplication::processEvents();
}

void WalkDriver::open_card(const QString& name) {
  QCoreApplication::processEvents();
  show_page("Problem");
  QCoreApplication::processEvents();
  auto& search = child<QLineEdit>("problemSearch");
  search.clear();
  type(search, name);
  auto& cards = child<QListView>("problemCards");
  ASSERT_TRUE(wait_until([&] { return cards.model()->rowCount() == 1; })) << name.toStdString();
  const QPoint at = cards.visualRect(cards.model()->index(0, 0)).center();
  QTest::mouseClick(cards.viewport(), Qt::LeftButton, {}, at);
  QCoreApplication::processEvents();
  QTest::mouseDClick(cards.viewport(), Qt::LeftButton, {}, at);
}

void WalkDriver::take_listed(const QString& name) {
  auto& list = child<QListWidget>("scheduleList");
  const auto found = list.findItems(name, Qt::MatchExactly);
  ASSERT_EQ(found.size(), 1) << name.toStdString();
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {},
                    list.visualItemRect(found.front()).center());
}

void WalkDriver::choose(const char* combo, const QString& words) {
  auto& its = child<QComboBox>(combo);
  ASSERT_TRUE(wait_until([&] { return its.isVisible(); })) << combo;
  QTest::keyClicks(&its, words);
  ASSERT_EQ(its.currentText(), words);
}

void WalkDriver::follow_moves_and_measure() {
  take_listed("default");
  ASSERT_TRUE(wait_until([this] { return schedule().name() == "default"; }));
  settle();
  workspace.selection().clear();
  gui::GuideModel& guide = workspace.guide();
  ASSERT_TRUE(wait_until([&] { return guide.isWeighed() && !guide.isComing(); }));
  ASSERT_FALSE(guide.moves().empty());
  const QString leads_to = guide.moves().front().hash;
  QTest::keyClick(&child<QPushButton>("move0"), Qt::Key_Return);
  ASSERT_TRUE(wait_until([&] { return hash() == leads_to; }));
  settle();
  if (!guide.moves().empty()) click("followMoves");
  ASSERT_TRUE(wait_until([&] { return !guide.isFollowing() && !guide.isComing(); }));
  const gui::WayModel& way = workspace.way();
  ASSERT_TRUE(wait_until([&] { return way.steps().back().hash == hash(); }));
  EXPECT_LT(way.steps().back().time.nonlinear, way.steps().front().time.nonlinear);
  activate();
  QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
  const gui::MeasurementModel& measurement = workspace.space().measurement();
  ASSERT_TRUE(measurement.isRunning());
  ASSERT_TRUE(wait_until([&] { return !measurement.isRunning(); }));
  EXPECT_EQ(measurement.error().toStdString(), "");
  ASSERT_TRUE(wait_until([this] { return time().contains("measured"); }));
}

const gui::GraphNode* WalkDriver::node(DagKind kind, bool (*fits)(const gui::GraphNode&)) {
  for (const gui::GraphNode& its : workspace.graph().graph().value->nodes)
    if (its.kind == kind && fits(its)) return &its;
  return nullptr;
}

QPoint WalkDriver::place_of(const gui::GraphNode& node, bool isStore) {
  auto& view = child<gui::GraphView>("graphView");
  for (QGraphicsItem* item : view.items()) {
    const auto* its = dynamic_cast<gui::NodeItem*>(item);
    if (its == nullptr || its->node().id != node.id) continue;
    const QRectF area = isStore ? its->slabArea(0) : its->boundingRect();
    return view.mapFromScene(its->mapToScene(area.center()));
  }
  ADD_FAILURE() << node.name.toStdString() << " is not drawn";
  return {};
}

}  // namespace thallo::test
