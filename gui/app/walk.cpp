#include "gui/app/walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>

#include "gui/app/hand.h"
#include "gui/problem/energy_draft.h"
#include "gui/schedule/view/time_strip.h"
#include "gui/schedule/view/waterfall.h"

namespace thallo::gui {
namespace {

constexpr int PictureWidth = 48, PictureHeight = 40;

QString walkTr(const char* text) { return QCoreApplication::translate("Walk", text); }

// Waves with a little noise, which the energy of the walk makes smooth.
QImage walkPicture() {
  QImage picture(PictureWidth, PictureHeight, QImage::Format_Grayscale8);
  for (int y = 0; y < PictureHeight; ++y)
    for (int x = 0; x < PictureWidth; ++x)
      picture.scanLine(y)[x] = static_cast<uchar>(
          std::lround(110 + 60 * std::sin(0.3 * x) * std::cos(0.2 * y)) + (7 * x + 13 * y) % 23);
  return picture;
}

}  // namespace

Walk::Walk(MainWindow& window, Workspace& workspace, QString folder)
    : m_window(window), m_workspace(workspace), m_folder(std::move(folder)) {
  // Those of a desktop do not take the events of this program.
  QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  m_workspace.space().openStore(path("walk.store"));
}

std::vector<Walk::Step> Walk::steps() {
  return {{"bring an energy", [this] { return bring(); }},
          {"bind it", [this] { return bind(); }},
          {"follow moves", [this] { return followMoves(); }},
          {"measure", [this] { return measure(); }},
          {"see why", [this] { return seeWhy(); }},
          {"explore", [this] { return explore(); }},
          {"solve", [this] { return solve(); }}};
}

template <class T>
T* Walk::find(const char* name) {
  // Several pages may have one.
  T* found = nullptr;
  waitFor([&] {
    for (T* child : m_window.findChildren<T*>(name))
      if (child->isVisible() && child->isEnabled()) found = child;
    return found != nullptr;
  });
  return found;
}

// Where no window manager does it.
bool Walk::activate(QWidget& window) {
  window.activateWindow();
  return waitFor([&] { return window.isActiveWindow(); }).has_value();
}

void Walk::press(int key, Qt::KeyboardModifiers modifiers) {
  QWidget* focus = QApplication::focusWidget();
  const bool isHere = focus != nullptr && focus->window() == &m_window;
  gui::press(isHere ? *focus : m_window, key, modifiers);
}

bool Walk::writeFiles() const {
  return writeEnergyToStartFrom(path("walk.lua")).has_value() &&
         walkPicture().save(path("picture.png"));
}

bool Walk::waitForSchedule() {
  return waitFor([this] {
           const auto& graph = m_workspace.graph().graph();
           const ScheduleModel& schedule = m_workspace.schedule();
           return m_workspace.problems().problem().state == RemoteState::Failed ||
                  (m_window.isSettled() && !schedule.isChanging() && schedule.schedule().value &&
                   graph.isReady() && graph.value->scheduleHash == schedule.schedule().value->hash);
         }) &&
         m_workspace.problems().problem().isReady();
}

// From the start page to the dialog that asks for the inputs, by the button, its menu and the name
// of the file.
QString Walk::bring() {
  if (!writeFiles()) return walkTr("%1 cannot be written").arg(m_folder);
  if (m_window.currentPage().id() != "problem")
    return walkTr("the app does not start with its start");
  auto* bring = find<QPushButton>("bringEnergy");
  if (bring == nullptr) return walkTr("there is no way to bring an energy");
  click(*bring);
  auto* menu = m_window.findChild<QMenu*>("bringMenu");
  if (menu == nullptr || !waitFor([&] { return menu->isVisible(); }))
    return walkTr("nothing is offered to bring an energy");
  gui::press(*menu, Qt::Key_Return);
  auto* dialog = find<QFileDialog>("QFileDialog");
  auto* line = dialog == nullptr ? nullptr : dialog->findChild<QLineEdit*>("fileNameEdit");
  if (line == nullptr) return walkTr("no file is asked for");
  if (!activate(*dialog)) return walkTr("the keys do not go to the dialog");
  type(*line, path("walk.lua"));
  // The dialog reads the folder first.
  const auto buttons = dialog->findChildren<QPushButton*>();
  const auto accept = std::ranges::find_if(buttons, &QPushButton::isDefault);
  if (accept == buttons.end() || !waitFor([&] { return (*accept)->isEnabled(); }))
    return walkTr("the file is not found");
  gui::press(*line, Qt::Key_Return);
  return find<QLineEdit>("input_A") == nullptr ? walkTr("the inputs are not asked for") : QString();
}

// A wrong name of the picture is answered at its field, with the right one; then it is bound.
QString Walk::bind() {
  auto* picture = find<QLineEdit>("input_A");
  auto* weight = find<QLineEdit>("input_w");
  const auto* note = m_window.findChild<QLabel*>("note_A");
  if (picture == nullptr || weight == nullptr || note == nullptr)
    return walkTr("not all inputs are asked for");
  if (!activate(*picture->window())) return walkTr("the keys do not go to the dialog");
  type(*picture, path("pictur.png"));
  if (!waitFor([&] { return note->text().contains("picture.png"); }))
    return walkTr("the fault of the picture is not said at its field, but '%1'").arg(note->text());
  type(*picture, path("picture.png"));
  const QString size = QStringLiteral("%1 × %2").arg(PictureWidth).arg(PictureHeight);
  if (!waitFor([&] { return note->text().startsWith(size); }))
    return walkTr("the size of the picture is not said, but '%1'").arg(note->text());
  const auto* thumbnail = note->parentWidget()->findChild<QLabel*>("thumbnail");
  if (thumbnail == nullptr || !thumbnail->isVisible() || thumbnail->pixmap().isNull())
    return walkTr("the picture is not shown");
  type(*weight, "2");
  auto* write = find<QPushButton>("writeProblemFile");
  if (write == nullptr) return walkTr("what is bound is not taken");
  gui::press(*weight, Qt::Key_Return);
  if (!waitFor([this] { return m_workspace.problems().request().problem == "walk"; }))
    return walkTr("the energy is not opened");
  if (!waitForSchedule()) return m_workspace.problems().problem().error;
  if (!activate(m_window)) return walkTr("the keys do not go to the window");
  const qint64 unknowns = m_workspace.problems().problem().value->unknowns;
  return unknowns == PictureWidth * PictureHeight ? QString()
                                                  : walkTr("it has %1 unknowns").arg(unknowns);
}

QString Walk::takeSchedule(const QString& name) {
  auto* list = find<QListWidget>("scheduleList");
  const auto found =
      list == nullptr ? QList<QListWidgetItem*>() : list->findItems(name, Qt::MatchExactly);
  if (found.size() != 1) return walkTr("the schedule %1 is not listed").arg(name);
  click(*list->viewport(), list->visualItemRect(found.front()).center());
  if (!waitFor([&] { return m_workspace.schedule().name() == name; }))
    return walkTr("the schedule %1 is not taken").arg(name);
  return waitForSchedule() ? QString() : walkTr("the schedule %1 is not shown").arg(name);
}

// From the default schedule: the first move by Enter, the others until nothing helps.
QString Walk::followMoves() {
  if (const QString fault = takeSchedule("default"); !fault.isEmpty()) return fault;
  GuideModel& guide = m_workspace.guide();
  if (!waitFor([&] { return guide.isWeighed() && !guide.isComing(); }))
    return walkTr("no moves are weighed");
  const auto seconds = [this] { return m_workspace.schedule().schedule().value->time.seconds(); };
  const double before = seconds();
  auto* first = find<QPushButton>("move0");
  if (first == nullptr) return walkTr("no move is offered");
  const QString next = guide.moves().front().hash;
  first->setFocus();
  gui::press(*first, Qt::Key_Return);
  if (!waitFor([&] { return m_workspace.schedule().schedule().value->hash == next; }) ||
      !waitForSchedule())
    return walkTr("the first move is not taken");
  if (!waitFor([&] { return guide.isWeighed() && !guide.isComing(); }))
    return walkTr("no further moves are weighed");
  if (!guide.moves().empty()) {
    auto* follow = find<QPushButton>("followMoves");
    if (follow == nullptr) return walkTr("moves cannot be followed");
    click(*follow);
    waitFor([&] { return !guide.isFollowing() && !guide.isComing(); });
  }
  if (!waitForSchedule()) return walkTr("the last move is not shown");
  return seconds() < before ? QString() : walkTr("the moves save nothing");
}

QString Walk::measure() {
  press(Qt::Key_M, Qt::ControlModifier);
  const MeasurementModel& measurement = m_workspace.space().measurement();
  if (!measurement.isRunning()) return walkTr("Ctrl+M does not measure");
  waitFor([&] { return !measurement.isRunning(); });
  if (!measurement.error().isEmpty()) return measurement.error();
  const auto* strip = m_window.findChild<TimeStrip*>("timeStrip");
  return waitFor([&] { return strip->summary().contains("measured"); })
             ? QString()
             : walkTr("the strip says '%1'").arg(strip->summary());
}

// Compares with the schedule that it began with.
QString Walk::seeWhy() {
  press(Qt::Key_3, Qt::ControlModifier);
  auto* with = find<QComboBox>("compareWith");
  if (with == nullptr) return walkTr("no schedule can be compared with");
  with->setFocus();
  for (int i = 0; i < with->count() && with->currentText() != "default"; ++i)
    gui::press(*with, Qt::Key_Down);
  const ComparisonModel& comparison = m_workspace.comparison();
  if (!waitFor([&] { return comparison.comparison().isReady(); }))
    return walkTr("nothing is compared: %1").arg(comparison.comparison().error);
  const auto* waterfall = find<Waterfall>("waterfall");
  // The two times alone say nothing of causes.
  return waterfall != nullptr && waterfall->lineCount() > 2 ? QString()
                                                            : walkTr("no cause is shown");
}

QString Walk::explore() {
  press(Qt::Key_5, Qt::ControlModifier);
  auto* samples = find<QSpinBox>("exploreSamples");
  if (samples == nullptr) return walkTr("there is no exploration to begin");
  type(*samples, "6");
  gui::press(*samples, Qt::Key_Tab);
  auto* start = find<QPushButton>("exploreButton");
  if (start == nullptr) return walkTr("the exploration cannot begin");
  click(*start);
  const ExplorationModel& exploration = m_workspace.space().exploration();
  if (!exploration.isRunning()) return walkTr("the exploration does not begin");
  waitFor([&] { return !exploration.isRunning(); });
  if (exploration.state() != ExplorationModel::State::Done) return exploration.error();
  const auto isThere = [this] {
    const auto& space = m_workspace.space().space();
    return space.isReady() && space.value->size() >= 6;
  };
  return waitFor(isThere) ? QString() : walkTr("the schedules are not shown");
}

QString Walk::solve() {
  press(Qt::Key_6, Qt::ControlModifier);
  auto* start = find<QPushButton>("solveButton");
  if (start == nullptr) return walkTr("there is no solve to begin");
  press(Qt::Key_R, Qt::ControlModifier);
  SolveModel& solve = m_workspace.solve();
  const auto& runs = solve.runs();
  if (!waitFor([&] { return solve.isRunning(); })) return walkTr("Ctrl+R does not solve");
  waitFor([&] { return !solve.isRunning(); });
  if (!runs.isReady()) return runs.error;
  const SolveRun& run = runs.value->runs.back();
  return run.finalCost < run.initialCost ? QString() : walkTr("the cost does not sink");
}

}  // namespace thallo::gui
