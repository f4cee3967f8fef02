// The path of somebody who is new to the app, by mouse and keys: from the start page, with an
// energy and a picture of their own, by the next best moves until nothing helps, to measuring, the
// reasons why it became faster, exploring and solving. A test takes it, and the benchmark measures
// how long the window does not answer on it.
#pragma once

#include <functional>
#include <vector>

#include "gui/app/main_window.h"

namespace thallo::gui {

class Walk final {
 public:
  // Files are written into the folder, also the store. No problem may be open.
  Walk(MainWindow& window, Workspace& workspace, QString folder);

  struct Step {
    QString name;                 // "bring an energy"
    std::function<QString()> go;  // returns what is wrong afterwards; empty if nothing is
  };
  // In their order; each begins where the one before has ended.
  std::vector<Step> steps();

 private:
  QString bring();
  QString bind();
  QString followMoves();
  QString measure();
  QString seeWhy();
  QString explore();
  QString solve();

  // Returns the widget of that name once it is visible and enabled; null if it never is.
  template <class T>
  T* find(const char* name);
  QString path(const char* file) const { return m_folder + '/' + file; }
  bool writeFiles() const;
  bool waitForSchedule();
  static bool activate(QWidget& window);
  QString takeSchedule(const QString& name);
  void press(int key, Qt::KeyboardModifiers modifiers = {});

  MainWindow& m_window;
  Workspace& m_workspace;
  QString m_folder;
};

}  // namespace thallo::gui
