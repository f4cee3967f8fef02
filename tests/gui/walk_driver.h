// The window with what a person does in it, by mouse and key events, and what is to be read there.
#pragma once

#include <gtest/gtest.h>
#include <QGraphicsItem>
#include <QString>

#include "gui/app/main_window.h"
#include "gui/graph/graph_data.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {

// What a step may keep the window's thread busy at a time, in milliseconds of its own.
inline constexpr double LongestBlockMs = 50;

class WalkDriver {
 public:
  // Starts the app; an empty `store` is that of the problem. Edited schedules are kept in `shelf`.
  explicit WalkDriver(const QString& shelf, const QString& store = {});

  gui::Workspace workspace;
  gui::MainWindow window;

  gui::ScheduleModel& schedule() { return workspace.schedule(); }
  QString hash() { return schedule().schedule().value->hash; }
  QString text() { return schedule().schedule().value->text; }
  // What the time strip says.
  QString time();
  template <class T>
  T& child(const char* name) {
    T* found = window.findChild<T*>(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }

  // Makes keys go to the window again, when a dialog has gone.
  void activate();
  // Waits until nothing is under way.
  void settle();
  void show_page(const QString& title);
  void click(const char* button);
  // Types the words where the keys go to, each letter in a turn of the event loop as a person does.
  static void type(QWidget& editor, const QString& words);
  // Puts the words in the place of what the line or spin box has.
  void fill(const char* editor, const QString& words);
  // Opens the problem of that name by a double click on its card.
  void open_card(const QString& name);
  // Clicks at the schedule of that name in the list.
  void take_listed(const QString& name);
  // Chooses by the keyboard.
  void choose(const char* combo, const QString& words);
  // From the default schedule: takes the first of the next best moves by Enter, the others until
  // nothing helps, and measures the last schedule.
  void follow_moves_and_measure();

  // A node of that kind for which `fits` holds, or null.
  gui::GraphNode const* node(DagKind kind, bool (*fits)(const gui::GraphNode&));
  // The middle of the node, or of its first slab, as a position in the view of the graph.
  QPoint place_of(const gui::GraphNode& node, bool isStore);
};

}  // namespace thallo::test
