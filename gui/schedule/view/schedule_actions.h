// The actions on a schedule of the list, other than taking it: rename, copy, delete, and export to
// or import from a .sched file, as `thallo solve --schedule FILE` takes it.
#pragma once

#include <QAction>
#include <QMenu>
#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

// A schedule of the list, whose name and text may have changed since.
struct ListedSchedule {
  QString name, text;
  Kept kept = {};  // null if it is not on the shelf
};

class ScheduleActions final : public QObject {
  Q_OBJECT

 public:
  // `parent` is the parent of dialogs, and gets the actions on the current schedule.
  ScheduleActions(Workspace& workspace, QWidget* parent);

  // The actions on the current schedule, with their shortcuts.
  QMenu* menu() const { return m_menu; }
  // Opens a menu for that schedule; the menu deletes itself.
  void popUp(const ListedSchedule& schedule, const QPoint& at);
  // Asks before removing.
  void remove(const Kept& kept);

 private:
  ListedSchedule current() const;
  void add(const QString& text, const QKeySequence& key, std::function<void()> run);
  void refresh();
  void rename(const Kept& kept);
  void duplicate(const ListedSchedule& schedule);
  // Returns the schedule at the time when the file was chosen, because typed text arrives a moment
  // later.
  using Which = std::function<ListedSchedule()>;
  void askToSave(Which which);
  void save(const ListedSchedule& schedule, const QString& file);
  void askToLoad();
  void tell(const QString& title, const QString& why);

  Workspace& m_workspace;
  QWidget* m_parent;
  QMenu* m_menu;
};

}  // namespace thallo::gui
