#include "tests/gui/walk_driver.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "gui/views/graph_page.h"
#include "gui/views/time_strip.h"

namespace thallo::test {
namespace {

gui::WorkspaceOptions with_store(const QString& store) {
  gui::WorkspaceOptions options = workspace_options();
  options.store = store;
  return options;
}

}  // namespace

WalkDriver::WalkDriver(const QString& store) : workspace(with_store(store)), window(workspace) {
  window.resize(1440, 900);
  window.show();
  window.activateWindow();
  workspace.problems().rescan();
}

QString WalkDriver::time() { return child<gui::TimeStrip>("timeStrip").summary(); }

void WalkDriver::settle() {
  ASSERT_TRUE(wait_until([this] {
    const auto& graph = workspace.graph().graph();
    return window.isSettled() && !schedule().isChanging() && graph.isReady() &&
           graph.value->scheduleHash == hash();
  }));
}

void WalkDriver::show_page(const QString& title) {
  auto& tabs = child<QTabBar>("pageTabs");
  for (int i = 0; i < tabs.count(); ++i) {
    if (tabs.tabText(i) == title)
      QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(i).center());
  }
  ASSERT_EQ(window.currentPage().title(), title);
}

void WalkDriver::click(const char* button) {
  auto& its = child<QAbstractButton>(button);
  ASSERT_TRUE(wait_until([&] { return its.isVisible() && its.isEnabled(); })) << button;
  QTest::mouseClick(&its, Qt::LeftButton);
}

void WalkDriver::fill(const char* editor, const QString& words) {
  auto& its = child<QWidget>(editor);
  ASSERT_TRUE(wait_until([&] { return its.isVisible(); })) << editor;
  its.setFocus();
  QTest::keyClick(&its, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(&its, words);
  QTest::keyClick(&its, Qt::Key_Tab);
}

void WalkDriver::choose(const char* combo, const QString& words) {
  auto& its = child<QComboBox>(combo);
  ASSERT_TRUE(wait_until([&] { return its.isVisible(); })) << combo;
  QTest::keyClicks(&its, words);
  ASSERT_EQ(its.currentText(), words);
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
    const QRectF area = isStore ? its->storeArea() : its->boundingRect();
    return view.mapFromScene(its->mapToScene(area.center()));
  }
  ADD_FAILURE() << node.name.toStdString() << " is not drawn";
  return {};
}

}  // namespace thallo::test
