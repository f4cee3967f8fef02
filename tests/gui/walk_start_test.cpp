// Somebody new takes the whole way through the app by mouse and keys: from the start page, with an
// energy and a picture of their own, by the next best moves until nothing helps, to measuring, the
// reasons why it became faster, exploring and solving. Meanwhile the window is never busy for long.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <QComboBox>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>

#include "gui/problem/energy_draft.h"
#include "gui/schedule/view/comparison_view.h"
#include "tests/gui/block_meter.h"
#include "tests/gui/walk_driver.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

constexpr int Width = 48, Height = 40;

class WalkFromTheStart : public testing::Test {
 public:
  WalkFromTheStart() {
    // Those of a desktop do not take the events of this program.
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    EXPECT_TRUE(gui::writeEnergyToStartFrom(path("walk.lua")));
    // Waves with a little noise, which the energy makes smooth.
    QImage picture(Width, Height, QImage::Format_Grayscale8);
    for (int y = 0; y < Height; ++y)
      for (int x = 0; x < Width; ++x)
        picture.scanLine(y)[x] = static_cast<uchar>(
            std::lround(110 + 60 * std::sin(0.3 * x) * std::cos(0.2 * y)) + (7 * x + 13 * y) % 23);
    EXPECT_TRUE(picture.save(path("picture.png")));
  }
  QString path(const char* name) const {
    return QString::fromStdString((folder.path() / name).string());
  }
  // The widget of that name, of which several pages may have one, once it can be used.
  template <class T>
  T& shown(const char* name) {
    T* found = nullptr;
    wait_until([&] {
      for (T* its : app.window.findChildren<T*>(name))
        if (its->isVisible() && its->isEnabled()) found = its;
      return found != nullptr;
    });
    return found != nullptr ? *found
                            : throw std::runtime_error(fmt::format("no {} is shown", name));
  }
  // Puts the words in the place of what the line has, before a list of completions opens.
  static void put(QLineEdit& line, const QString& words) {
    QCoreApplication::processEvents();
    line.setFocus();
    QTest::keyClick(&line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(&line, words);
    QCoreApplication::processEvents();
  }

  // The steps, in their order.
  void bring_an_energy();
  void bind_it();
  void follow_moves();
  void see_why();
  void explore();
  void solve();

  TempDir folder;
  WalkDriver app{path("shelf"), path("walk.store")};
  BlockMeter meter;
};

// From the start page to the dialog that asks for the inputs, by the button, its menu and the name
// of the file.
void WalkFromTheStart::bring_an_energy() {
  ASSERT_EQ(app.window.currentPage().id(), "problem");
  app.click("bringEnergy");
  auto& menu = shown<QMenu>("bringMenu");
  QTest::keyClick(&menu, Qt::Key_Return);
  auto& dialog = shown<QFileDialog>("QFileDialog");
  dialog.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&dialog));
  auto& line = *dialog.findChild<QLineEdit*>("fileNameEdit");
  put(line, path("walk.lua"));
  // The dialog reads the folder first.
  ASSERT_TRUE(wait_until([&] {
    return std::ranges::any_of(dialog.findChildren<QPushButton*>(), [](const QPushButton* button) {
      return button->isDefault() && button->isEnabled();
    });
  }));
  QTest::keyClick(&line, Qt::Key_Return);
}

// A wrong name of the picture is answered at its field, with the right one; then it is bound.
void WalkFromTheStart::bind_it() {
  auto &picture = shown<QLineEdit>("input_A"), &weight = shown<QLineEdit>("input_w");
  const auto& note = app.child<QLabel>("note_A");
  picture.window()->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(picture.window()));
  put(picture, path("pictur.png"));
  ASSERT_TRUE(wait_until([&] { return note.text().contains("picture.png"); }))
      << note.text().toStdString();
  put(picture, path("picture.png"));
  const QString size = QStringLiteral("%1 × %2").arg(Width).arg(Height);
  ASSERT_TRUE(wait_until([&] { return note.text().startsWith(size); }))
      << note.text().toStdString();
  const auto* thumbnail = note.parentWidget()->findChild<QLabel*>("thumbnail");
  EXPECT_TRUE(thumbnail->isVisible() && !thumbnail->pixmap().isNull());
  put(weight, "2");
  shown<QPushButton>("writeProblemFile");
  QTest::keyClick(&weight, Qt::Key_Return);
  const auto& problems = app.workspace.problems();
  ASSERT_TRUE(wait_until([&] {
    return problems.request().problem == "walk" && problems.problem().isReady();
  })) << problems.problem().error.toStdString();
  app.settle();
  EXPECT_EQ(problems.problem().value->unknowns, Width * Height);
}

void WalkFromTheStart::follow_moves() {
  app.activate();
  app.follow_moves_and_measure();
}

// Compares with the schedule that it began with.
void WalkFromTheStart::see_why() {
  QTest::keyClick(&app.window, Qt::Key_3, Qt::ControlModifier);
  QTest::keyClicks(&shown<QComboBox>("compareWith"), "default");
  const gui::ComparisonModel& comparison = app.workspace.comparison();
  ASSERT_TRUE(wait_until([&] { return comparison.comparison().isReady(); }))
      << comparison.comparison().error.toStdString();
  // The two times alone say nothing of causes.
  EXPECT_GT(shown<gui::Waterfall>("waterfall").lineCount(), 2);
}

void WalkFromTheStart::explore() {
  QTest::keyClick(&app.window, Qt::Key_5, Qt::ControlModifier);
  app.fill("exploreSamples", "6");
  app.click("exploreButton");
  const gui::ExplorationModel& exploration = app.workspace.space().exploration();
  ASSERT_TRUE(exploration.isRunning());
  ASSERT_TRUE(wait_until([&] { return !exploration.isRunning(); }, std::chrono::seconds(120)));
  EXPECT_EQ(exploration.state(), gui::ExplorationModel::State::Done)
      << exploration.error().toStdString();
  EXPECT_TRUE(wait_until([this] {
    const auto& space = app.workspace.space().space();
    return space.isReady() && space.value->size() >= 6;
  }));
}

void WalkFromTheStart::solve() {
  QTest::keyClick(&app.window, Qt::Key_6, Qt::ControlModifier);
  shown<QPushButton>("solveButton");
  QTest::keyClick(&app.window, Qt::Key_R, Qt::ControlModifier);
  const auto& runs = app.workspace.solve().runs();
  ASSERT_TRUE(wait_until([&] { return runs.isReady(); }, std::chrono::seconds(120)))
      << runs.error.toStdString();
  EXPECT_LT(runs.value->runs.back().finalCost, runs.value->runs.back().initialCost);
}

TEST_F(WalkFromTheStart, LeadsAnEnergyOfOnesOwnToItsSolve) {
  using Step = std::pair<const char*, void (WalkFromTheStart::*)()>;
  const std::initializer_list<Step> steps = {
      {"bring an energy", &WalkFromTheStart::bring_an_energy},
      {"bind it", &WalkFromTheStart::bind_it},
      {"follow moves", &WalkFromTheStart::follow_moves},
      {"see why", &WalkFromTheStart::see_why},
      {"explore", &WalkFromTheStart::explore},
      {"solve", &WalkFromTheStart::solve}};
  app.activate();
  ASSERT_TRUE(wait_until([this] { return app.workspace.problems().catalog().isReady(); }));
  for (const auto& [name, step] : steps) {
    SCOPED_TRACE(name);
    meter.begin();
    ASSERT_NO_FATAL_FAILURE((this->*step)());
    EXPECT_LT(meter.longest().ms, LongestBlockMs) << meter.longest().text().toStdString();
  }
}

}  // namespace
}  // namespace thallo::test
