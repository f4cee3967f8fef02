// The schedules of the problem that have names, with their measured times, or the estimated ones where
// the store has none, and which of them is the current one: "edited" once it was changed. A click takes one.
#pragma once

#include <QListWidget>

#include "gui/models/workspace.h"

namespace thallo::gui {

class ScheduleList final : public QWidget {
  Q_OBJECT

 public:
  explicit ScheduleList(Workspace& workspace, QWidget* parent = nullptr);

 private:
  void refresh();
  void add(const NamedSchedule& schedule, bool isCurrent);

  Workspace& m_workspace;
  QListWidget* m_list;
};

}  // namespace thallo::gui
