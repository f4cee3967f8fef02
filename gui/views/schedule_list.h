// The schedules that the problem has by name and those on the shelf, with their measured times, or
// the estimated ones where the store has none, and which of them is the current one: one on the
// shelf once it was changed. A click takes one; a menu has what else can be done with it.
#pragma once

#include <QListWidget>

#include "gui/views/schedule_actions.h"

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
    QString note = {};  // in the place of a time
    QString why = {};   // of the note
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
