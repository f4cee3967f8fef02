#include "gui/space/view/space_page.h"

#include <gtest/gtest.h>

#include <memory>

#include <QComboBox>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "core/base/io/file.h"
#include "gui/space/space_reader.h"
#include "gui/space/view/distribution_plot.h"
#include "gui/space/view/strip_plots.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/space_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

class SpacePageTest : public testing::Test {
 protected:
  void show(const std::filesystem::path& store) {
    workspace.space().openStore(QString::fromStdString(store.string()));
    page.resize(960, 760);
    page.show();
    ASSERT_TRUE(wait_until([this] { return page.isSettled(); }));
    // Diagrams are painted when the event loop runs.
    wait_until([] { return false; }, std::chrono::milliseconds(100));
  }
  void show_store() {
    write_space(file, *workspace.problems().problem().value);
    show(file);
    ASSERT_EQ(page.state(), gui::RemoteState::Ready) << page.message().toStdString();
  }
  template <class T>
  T& child(const char* name) {
    return *page.findChild<T*>(name);
  }

  TempDir folder;
  std::filesystem::path file = folder.path() / "made.store";
  OpenWorkspace open{
      {.problem = "bundle_fusion", .options = {{"dense", "false"}}, .device = "h200"}};
  gui::Workspace& workspace = open.workspace;
  std::unique_ptr<gui::Page> made{gui::makeSpacePage(workspace)};
  gui::Page& page = *made;
};

TEST_F(SpacePageTest, SaysWhatToDoWhenNothingWasMeasured) {
  show(file);
  EXPECT_EQ(page.state(), gui::RemoteState::Empty);
  EXPECT_TRUE(page.message().contains("No measurements yet"));
  EXPECT_TRUE(child<QPushButton>("noticeAction").isVisible());
}

TEST_F(SpacePageTest, OffersToReadAStoreAgainThatCannotBeRead) {
  folder.write("made.store", std::string(4096, 'x'));
  show(file);
  EXPECT_EQ(page.state(), gui::RemoteState::Failed);
  std::filesystem::remove(file);
  write_space(file, *workspace.problems().problem().value);
  QTest::mouseClick(&child<QPushButton>("noticeAction"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([this] { return page.state() == gui::RemoteState::Ready; }));
  EXPECT_EQ(page.itemCount(), 24);
}

TEST_F(SpacePageTest, PutsADamagedStoreAsideAndBeginsANewOne) {
  const std::string damage(4096, 'x');
  folder.write("made.store", damage);
  folder.write("made.store-wal", "what is beside it");
  show(file);
  ASSERT_EQ(page.state(), gui::RemoteState::Failed);
  EXPECT_EQ(child<QPushButton>("noticeAction").text(), "Try again");
  EXPECT_EQ(child<QPushButton>("noticeAction3").text(), "Open another store …");
  QTest::mouseClick(&child<QPushButton>("noticeAction2"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([this] { return page.state() == gui::RemoteState::Empty; }));
  EXPECT_TRUE(page.message().contains("made.damaged.store")) << page.message().toStdString();
  EXPECT_FALSE(child<QPushButton>("noticeAction2").isVisible());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "made.store-wal"));
  const auto kept = read_file(folder.path() / "made.damaged.store");
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(*kept, damage);
  write_space(file, *workspace.problems().problem().value);
  workspace.space().reload();
  ASSERT_TRUE(wait_until([this] { return page.state() == gui::RemoteState::Ready; }));
  // A second one gets another name.
  std::filesystem::remove(file);
  folder.write("made.store", damage);
  workspace.space().reload();
  ASSERT_TRUE(wait_until([this] { return page.state() == gui::RemoteState::Failed; }));
  ASSERT_TRUE(workspace.space().putAside());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "made.damaged-2.store"));
  EXPECT_EQ(*read_file(folder.path() / "made.damaged.store"), damage);
}

TEST_F(SpacePageTest, RenamesNoFileThatIsNotCalledLikeAStore) {
  folder.write("photo.png", "a picture");
  file = folder.path() / "photo.png";
  show(file);
  ASSERT_EQ(page.state(), gui::RemoteState::Failed);
  EXPECT_FALSE(workspace.space().canPutAside());
  EXPECT_EQ(child<QPushButton>("noticeAction2").text(), "Open another store …");
}

TEST_F(SpacePageTest, ListsChoicesInABoxThatScrollsAndFolds) {
  show_store();
  auto& button = child<QToolButton>("candidateChoices");
  Q_EMIT button.menu()->aboutToShow();
  auto& tree = *button.menu()->findChild<QTreeWidget*>("choiceTree");
  ASSERT_GT(tree.topLevelItemCount(), 0);
  EXPECT_LE(tree.height(), 420);
  EXPECT_LE(tree.width(), 380);
  QTreeWidgetItem& site = *tree.topLevelItem(0);
  EXPECT_FALSE(site.isExpanded());
  ASSERT_GE(site.childCount(), 2);
  const auto chosen = [&] { return workspace.space().filter().choices; };
  site.child(0)->setCheckState(0, Qt::Checked);
  EXPECT_EQ(chosen().at(site.text(0)), site.child(0)->text(0));
  site.child(1)->setCheckState(0, Qt::Checked);
  EXPECT_EQ(chosen().at(site.text(0)), site.child(1)->text(0));
  EXPECT_EQ(site.child(0)->checkState(0), Qt::Unchecked) << "a schedule makes one choice at a site";
  Q_EMIT button.menu()->aboutToShow();
  EXPECT_TRUE(tree.topLevelItem(0)->isExpanded()) << "something is chosen there";
  tree.topLevelItem(0)->child(1)->setCheckState(0, Qt::Unchecked);
  EXPECT_TRUE(chosen().empty());
}

TEST_F(SpacePageTest, OffersTheCpuWhereTheGpuIsMissing) {
  show(file);
  QTest::mouseClick(&child<QPushButton>("noticeAction"), Qt::LeftButton);
  gui::ExplorationModel& exploration = workspace.space().exploration();
  ASSERT_TRUE(exploration.isRunning());
  ASSERT_TRUE(
      wait_until([&] { return !exploration.isRunning() || exploration.progress().total > 0; }));
  if (exploration.isRunning()) {
    exploration.cancel();
    GTEST_SKIP() << "there is a GPU";
  }
  auto& button = child<QPushButton>("switchToCpu");
  EXPECT_TRUE(button.isVisible());
  QTest::mouseClick(&button, Qt::LeftButton);
  EXPECT_EQ(workspace.problems().request().device, "here:cpu:0");
  ASSERT_TRUE(wait_until([this] { return workspace.problems().problem().isReady(); }));
  EXPECT_EQ(workspace.problems().problem().value->backend, "cpu");
  EXPECT_FALSE(button.isVisible());
}

TEST_F(SpacePageTest, LooksAtTheProblemOnTheDeviceThatWasMeasured) {
  show_store();
  auto& button = child<QPushButton>("lookAtMeasuredDevice");
  EXPECT_FALSE(button.isVisible());
  workspace.open({.problem = "bundle_fusion", .options = {{"dense", "false"}}, .device = "cpu"},
                 "default");
  ASSERT_TRUE(wait_until([this] { return page.isSettled() && page.itemCount() == 24; }));
  EXPECT_TRUE(button.isVisible());
  const QString edited = "r.sparse:strategy(\"[JtJ]p\")\n";
  workspace.schedule().setText(edited);
  const auto text = [this] { return workspace.schedule().text(); };
  ASSERT_TRUE(wait_until([&] { return text() == edited; }));
  QTest::mouseClick(&button, Qt::LeftButton);
  ASSERT_TRUE(wait_until([this] { return workspace.problems().problem().isReady(); }));
  EXPECT_EQ(workspace.problems().problem().value->deviceName, "NVIDIA H200");
  ASSERT_TRUE(wait_until([&] { return text() == edited && page.isSettled(); }));
  EXPECT_FALSE(button.isVisible());
}

TEST_F(SpacePageTest, DrawsAPointForEachScheduleThatHasATime) {
  show_store();
  EXPECT_EQ(child<gui::Plot>("distributionPlot").numPoints(), 21);
  EXPECT_EQ(child<gui::Plot>("agreementPlot").numPoints(), 21);
}

// Of eight ways and eight orders, the orders do not matter.
TEST_F(SpacePageTest, ShowsTheSitesThatMatterAndSaysThatOthersDoNot) {
  show_store();
  EXPECT_EQ(child<gui::StripPlots>("stripPlots").numStrips(), 0);
  EXPECT_TRUE(child<QLabel>("stripsNote").text().contains("No choice makes a difference"));
  DeviceReport report = many_candidates(1000);
  add_effects(report);
  workspace.space().show(gui::spaceSnapshot(report));
  ASSERT_TRUE(wait_until([this] { return page.isSettled(); }));
  EXPECT_EQ(child<gui::StripPlots>("stripPlots").numStrips(), 8);
  EXPECT_TRUE(child<QLabel>("stripsNote").text().contains("other sites none that shows"));
}

TEST_F(SpacePageTest, SetsTimesAgainstThoseOfAnotherDevice) {
  write_space(file, *workspace.problems().problem().value, "NVIDIA H100", 2);
  show_store();
  auto* menu = child<QToolButton>("besideButton").menu();
  Q_EMIT menu->aboutToShow();
  const auto entries = menu->actions();
  const auto h100 = std::ranges::find(entries, "NVIDIA H100", &QAction::text);
  ASSERT_NE(h100, entries.end());
  EXPECT_EQ(std::ranges::find(entries, "NVIDIA H200", &QAction::text), entries.end());
  (*h100)->trigger();
  ASSERT_TRUE(wait_until([this] { return page.isSettled(); }));
  EXPECT_EQ(child<gui::DistributionPlot>("distributionPlot").numLanes(), 1);
  auto& others = child<QComboBox>("otherTimes");
  others.setCurrentText("NVIDIA H100");
  EXPECT_EQ(child<gui::Plot>("agreementPlot").numPoints(), 21);
  // The times are in the table and in the inspector, too.
  const auto& table = *child<QTableView>("candidateTable").model();
  const auto column = [&](const QString& title) {
    for (int i = 0; i < table.columnCount(); ++i)
      if (table.headerData(i, Qt::Horizontal).toString() == title) return i;
    return -1;
  };
  ASSERT_GE(column("on NVIDIA H100"), 0);
  EXPECT_EQ(table.index(0, column("time")).data().toString(), "1.00 ms");
  EXPECT_EQ(table.index(0, column("on NVIDIA H100")).data().toString(), "2.00 ms");
  workspace.takeCandidate(table.index(0, 0).data(Qt::UserRole).toString());
  const auto& rows = workspace.inspector().current()->rows;
  EXPECT_NE(std::ranges::find(rows, std::pair(QString("on NVIDIA H100"), QString("2.00 ms"))),
            rows.end());
}

TEST_F(SpacePageTest, TakesAColumnAwayWithItsDevice) {
  write_space(file, *workspace.problems().problem().value, "NVIDIA H100", 2);
  show_store();
  const auto& header = *child<QTableView>("candidateTable").horizontalHeader();
  const auto titles = [&] {
    QStringList all;
    for (int i = 0; i < header.count(); ++i)
      all.append(header.model()
                     ->headerData(header.logicalIndex(i), Qt::Horizontal, Qt::DisplayRole)
                     .toString());
    return all;
  };
  const QStringList before = titles();
  const gui::SpaceSource h100 = {.device = "cuda NVIDIA H100 sm_90"};
  workspace.space().beside().add(h100);
  ASSERT_TRUE(wait_until([this] { return page.isSettled(); }));
  EXPECT_EQ(titles().indexOf("on NVIDIA H100"), 2);
  workspace.space().beside().remove(h100);
  EXPECT_EQ(titles(), before);
}

// A session has the filter before its store is read.
TEST_F(SpacePageTest, BrushesWhatIsNotReadYet) {
  gui::SpaceFilter filter;
  filter.seconds = std::pair(4.5e-3, 9.5e-3);
  workspace.space().setFilter(filter);
  show_store();
  workspace.space().setFilter(filter);
  EXPECT_EQ(child<QTableView>("candidateTable").model()->rowCount(), 5);
}

TEST_F(SpacePageTest, SaysWhichStoreCannotBeShownBeside) {
  show_store();
  auto& faults = child<QLabel>("besideFaults");
  EXPECT_FALSE(faults.isVisible());
  workspace.space().beside().add({.store = "/nowhere/other.store"});
  ASSERT_TRUE(wait_until([&] { return faults.isVisible(); }));
  EXPECT_TRUE(faults.text().contains("/nowhere/other.store")) << faults.text().toStdString();
  Q_EMIT faults.linkActivated("0");
  EXPECT_FALSE(faults.isVisible());
  EXPECT_TRUE(workspace.space().beside().all().empty());
}

TEST_F(SpacePageTest, FiltersTheTableByABrush) {
  show_store();
  auto& plot = child<gui::DistributionPlot>("distributionPlot");
  const auto& table = child<QTableView>("candidateTable");
  ASSERT_EQ(table.model()->rowCount(), 24);
  QWidget* canvas = plot.findChild<QWidget*>();
  const auto at = [&](double seconds) {
    return QPoint(static_cast<int>(std::lround(plot.xOf(seconds))), canvas->height() / 2);
  };
  QTest::mousePress(canvas, Qt::LeftButton, {}, at(4.5e-3));
  QTest::mouseMove(canvas, at(7e-3));
  QTest::mouseMove(canvas, at(9.5e-3));
  QTest::mouseRelease(canvas, Qt::LeftButton, {}, at(9.5e-3));
  EXPECT_EQ(table.model()->rowCount(), 5);
  const auto range = workspace.space().filter().seconds;
  ASSERT_TRUE(range.has_value());
  EXPECT_NEAR(range->first, 4.5e-3, 0.2e-3);
  EXPECT_NEAR(range->second, 9.5e-3, 0.2e-3);
}

TEST_F(SpacePageTest, TakesTheScheduleOfARowThatIsClicked) {
  show_store();
  auto& table = child<QTableView>("candidateTable");
  const QString before = workspace.schedule().schedule().value->hash;
  for (int row = 0; row < 2; ++row) {
    const QRect cell = table.visualRect(table.model()->index(row, 0));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell.center());
    const QString hash = workspace.selection().current().id;
    EXPECT_EQ(hash, table.model()->index(row, 0).data(Qt::UserRole).toString());
    ASSERT_TRUE(wait_until([&] { return workspace.schedule().schedule().value->hash == hash; }));
  }
  EXPECT_GE(workspace.schedule().history().activeStack()->count(), 1);
}

TEST_F(SpacePageTest, SavesDiagramsAsPictures) {
  show_store();
  for (const char* name : {"distributionPlot", "agreementPlot", "stripPlots"}) {
    auto& plot = child<gui::Plot>(name);
    const auto path = [&](const char* suffix) {
      return QString::fromStdString((folder.path() / name).string()) + suffix;
    };
    EXPECT_TRUE(plot.exportTo(path(".png")));
    EXPECT_GT(QImage(path(".png")).width(), 200);
    EXPECT_TRUE(plot.exportTo(path(".svg")));
    EXPECT_TRUE(plot.exportTo(path(".pdf")));
    for (const auto& [suffix, head] : {std::pair(".svg", "<?xml"), std::pair(".pdf", "%PDF")}) {
      QFile saved(path(suffix));
      ASSERT_TRUE(saved.open(QIODevice::ReadOnly));
      EXPECT_TRUE(saved.read(5).startsWith(head)) << name << suffix;
    }
  }
}

}  // namespace
}  // namespace thallo::test
