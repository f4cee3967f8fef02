// Where somebody begins: three ways in, what was opened last, and what is said of what they bind.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/problem/binding_model.h"
#include "gui/problem/energy_draft.h"
#include "gui/problem/examples.h"
#include "gui/problem/view/new_energy_dialog.h"
#include "gui/problem/view/problem_page.h"
#include "tests/gui/own_energy.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Start : public testing::Test {
 protected:
  Start() {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    workspace.recent().clear();
    window.resize(1280, 800);
    window.show();
    workspace.problems().rescan();
    EXPECT_TRUE(wait_until([this] { return page().state() == gui::RemoteState::Ready; }));
  }
  gui::ProblemPage& page() { return *window.findChild<gui::ProblemPage*>(); }
  template <class T>
  T& find(const QString& name) {
    auto* found = window.findChild<T*>(name);
    EXPECT_NE(found, nullptr) << name.toStdString();
    return *found;
  }
  bool is_start() { return find<QWidget>("startView").isVisible(); }
  void click(const char* button) {
    QTest::mouseClick(&find<QAbstractButton>(button), Qt::LeftButton);
  }
  bool is_open() {
    return wait_until([this] { return workspace.schedule().sites().isReady(); });
  }

  const LogCapture quiet;
  gui::Workspace workspace{workspace_options()};
  gui::MainWindow window{workspace};
};

TEST_F(Start, LooksAtAScheduleOnItsPage) {
  ASSERT_TRUE(is_start());
  EXPECT_FALSE(find<QListView>("recentList").isVisible()) << "nothing was opened yet";
  click("lookAtSchedule");
  EXPECT_EQ(window.currentPage().id(), "schedule");
  ASSERT_TRUE(is_open());
  EXPECT_EQ(workspace.schedule().name(), "auto");
}

TEST_F(Start, ExploresASpaceThatWasMeasured) {
  const TempDir folder;
  click("exploreSpace");
  EXPECT_EQ(window.currentPage().id(), "space");
  ASSERT_TRUE(is_open());
  ASSERT_TRUE(wait_until([this] { return workspace.space().space().isReady(); }));
  EXPECT_GT(workspace.space().numShown(), 200u);
  EXPECT_TRUE(workspace.space().isOfProblemsDevice()) << "its times are those of other pages, too";
}

TEST_F(Start, ComesBackAndHasWhatWasOpenedLast) {
  workspace.open({.problem = "curve_fit", .device = "h200"}, "default");
  ASSERT_TRUE(is_open());
  EXPECT_FALSE(is_start());
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  QTest::keyClick(&window, Qt::Key_Home, Qt::AltModifier);
  ASSERT_TRUE(wait_until([this] { return is_start(); }));
  auto& recent = find<QListView>("recentList");
  ASSERT_TRUE(recent.isVisible());
  ASSERT_EQ(recent.model()->rowCount(), 1);
  recent.setFocus();
  recent.setCurrentIndex(recent.model()->index(0, 0));
  QTest::keyClick(&recent, Qt::Key_Return);
  EXPECT_FALSE(is_start());
  EXPECT_EQ(workspace.problems().request().problem, "curve_fit");
}

TEST_F(Start, BeginsANewEnergyAndAsksForItsInputs) {
  const TempDir folder;
  const QString file = QString::fromStdString((folder.path() / "mine.lua").string());
  click("bringEnergy");
  auto& menu = find<QMenu>("bringMenu");
  ASSERT_TRUE(wait_until([&] { return menu.isVisible(); }));
  QTest::keyClick(&menu, Qt::Key_N);
  auto* dialog = window.findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  auto* line = dialog->findChild<QLineEdit*>("fileNameEdit");
  line->setText(file);
  QTest::keyClick(line, Qt::Key_Return);
  ASSERT_TRUE(wait_until([&] { return window.findChild<QLineEdit*>("input_A") != nullptr; }));
  Session session;
  EXPECT_EQ(gui::energyFault(session, content(file), file).toStdString(), "");
}

TEST_F(Start, SaysWhereAFaultOfAnOpenEnergyIs) {
  const OwnEnergy own;
  const QString picture = own.folder() + "/a.png";
  QImage(20, 10, QImage::Format_Grayscale8).save(picture);
  ASSERT_TRUE(QImage(20, 10, QImage::Format_RGB32).save(own.folder() + "/color.png"));
  {
    Session session;
    ASSERT_TRUE(gui::writeProblemFile(
        session, {own.energy(), own.problemFile(), "", {{"A", picture}, {"w", "0.5"}}}));
  }
  page().openFile(own.problemFile());
  ASSERT_TRUE(is_open());
  const auto note = [this] { return find<QLabel>("note_A").text().toStdString(); };
  ASSERT_TRUE(wait_until([&] { return note().starts_with("20 × 10, 1 channel, 800 B"); }))
      << note();
  EXPECT_FALSE(
      find<QLabel>("note_A").parentWidget()->findChild<QLabel*>("thumbnail")->pixmap().isNull());
  find<QLineEdit>("option_A").setText(own.folder() + "/color.png");
  ASSERT_TRUE(wait_until([&] { return note().find("channels") != std::string::npos; }));
  EXPECT_THAT(note(), AllOf(HasSubstr("has 1 channel"), HasSubstr(":gray"),
                            HasSubstr("It is bound to 20 × 10, 3 channels")));
}

TEST(Examples, AreThereForEachWay) {
  Session session;
  const gui::Catalog catalog = gui::readCatalog(session);
  EXPECT_EQ(gui::exampleOfSchedule(catalog)->problem, "image_warping");
  const auto space = gui::exampleOfSpace(catalog);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->device, "h200") << "its spec was measured, that of the H100 was not";
  EXPECT_FALSE(gui::exampleOfSchedule({}));
  EXPECT_FALSE(gui::exampleOfSpace({}));
}

TEST(BoundFiles, SayWhichExtentsContradictEachOther) {
  const OwnEnergy own;
  std::ofstream(own.energy().toStdString())
      << "local W, H = Dims('W', 'H')\n"
         "Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1), B = Array(float, "
         "{W, H}, 2) }\n"
         "local x, y = W(), H()\n"
         "Residuals { fit = X(x, y) - A(x, y) * B(x, y) }\n";
  const auto file = [&](const char* name) { return own.folder() + '/' + name; };
  ASSERT_TRUE(QImage(20, 10, QImage::Format_Grayscale8).save(file("a.png")));
  ASSERT_TRUE(QImage(21, 10, QImage::Format_Grayscale8).save(file("b.png")));
  Session session;
  const auto energy = *gui::loadEnergy(session, own.energy());
  auto facts = gui::factsOfBindings(*energy, {{"A", file("a.png")}, {"B", file("b.png")}}, true);
  for (const char* input : {"A", "B", "W"}) {
    EXPECT_THAT(facts[input].fault.toStdString(),
                AllOf(HasSubstr("dim 'W' is 20 by A="), HasSubstr("but 21 by B=")));
  }
  EXPECT_EQ(facts["H"].fault, "");
  EXPECT_EQ(facts["B"].size.toStdString(), "21 × 10, 1 channel, 840 B");
  EXPECT_EQ(facts["B"].thumbnail.size().width(), 96);

  facts = gui::factsOfBindings(*energy, {{"A", file("a.png")}}, false);
  EXPECT_EQ(facts["B"].fault, "") << "nobody has come to it yet";
  facts = gui::factsOfBindings(*energy, {{"A", file("a.png")}}, true);
  EXPECT_THAT(facts["B"].fault.toStdString(), HasSubstr("'B' is not bound"));
}

TEST(BoundFiles, CountWhatIsInAFile) {
  const TempDir folder;
  const auto write = [&](const char* name, const char* content) {
    std::ofstream(folder.path() / name) << content;
    return QString::fromStdString((folder.path() / name).string());
  };
  const QString graph = write("g.g2o",
                              "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0\n"
                              "EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\n");
  EXPECT_THAT(gui::factsOfFile(graph).size.toStdString(), StartsWith("2 poses, 1 edge, "));
  const QString table = write("t.csv", "a,b\n1,2\n3,4\n");
  EXPECT_THAT(gui::factsOfFile(table).size.toStdString(), StartsWith("2 rows, 2 columns, 12"));
  EXPECT_THAT(gui::factsOfFile(table + "x").fault.toStdString(), HasSubstr("did you mean 't.csv'"));
  EXPECT_THAT(gui::factsOfFile(QString::fromStdString(folder.path().string())).size.toStdString(),
              HasSubstr("2 files"));
  EXPECT_EQ(gui::factsOfFile(write("own.xyz", "\x01\x02\x03")).size, "3.00 B");
}

}  // namespace
}  // namespace thallo::test
