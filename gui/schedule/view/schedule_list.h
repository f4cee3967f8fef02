// Lists the named schedules of the problem and those on the shelf, with measured times or, where
// the store has none, estimates, and marks the current one. A changed schedule is on the shelf. A
// click takes a schedule; its menu has the other actions.
#pragma once

#include <QListWidget>

#include "gui/schedule/view/schedule_actions.h"

namespace thallo::gui {

class ScheduleList final : public QWidget {
  Q_OBJECT

 public:
  explicit ScheduleList(Workspace& workspace, QWidget* parent = nullptr);

 private:
  void refresh();
  struct Row {
    NamedSchedule schedule;
    Kept kept = {};
    bool isCurrent = false;
    QString note = {};  // in place of a time
    QString why = {};   // explains the note
  };
  std::vector<Row> rows() const;
  Row keptRow(const Kept& kept) const;
  void show(const Row& row, QListWidgetItem& item) const;
  void take(const QListWidgetItem& item);
  QWidget* makeHeader();

  Workspace& m_workspace;
  ScheduleActions m_actions;
  QListWidget* m_list;
};

}  // namespace thallo::gui
