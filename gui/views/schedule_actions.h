// What can be done with a schedule of the list beside taking it: it is given a name, copied,
// deleted, and written to or read from a .sched file, as `thallo solve --schedule FILE` takes it.
#pragma once

#include <QAction>
#include <QMenu>
#include <QWidget>

#include "gui/models/workspace.h"

namespace thallo::gui {

// One of the list, which may have another name and text by now.
struct ListedSchedule {
  QString name, text;
  Kept kept = {};  // null when it is not on the shelf
};

class ScheduleActions final : public QObject {
  Q_OBJECT

 public:
  // Dialogs are above `parent`, which has the actions that are about the current schedule.
  ScheduleActions(Workspace& workspace, QWidget* parent);

  // Those of the current schedule, with their keys.
  QMenu* menu() const { return m_menu; }
  // A menu of that schedule, which deletes itself.
  void popUp(const ListedSchedule& schedule, const QPoint& at);
  // Asks first.
  void remove(const Kept& kept);

 private:
  ListedSchedule current() const;
  void add(const QString& text, const QKeySequence& key, std::function<void()> run);
  void refresh();
  void rename(const Kept& kept);
  void duplicate(const ListedSchedule& schedule);
  // The schedule is asked for when the file is chosen: what is typed arrives a moment later.
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
