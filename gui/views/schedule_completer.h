// The list that completes what is typed in the schedule text: opened by Ctrl+Space and while a name
// is typed; Return and Tab take what is marked, Escape closes.
#pragma once

#include <QCompleter>
#include <QPlainTextEdit>
#include <QStandardItemModel>

#include "gui/models/schedule_completion.h"
#include "gui/models/workspace.h"

namespace thallo::gui {

class ScheduleCompleter final : public QCompleter {
  Q_OBJECT

 public:
  ScheduleCompleter(Workspace& workspace, QPlainTextEdit& text);

  bool isOpen() const { return popup()->isVisible(); }
  // Lists what can be written at the cursor; closes where nothing can.
  void refresh();
  // Is the key one that the open list takes?
  static bool isOfList(int key);

 private:
  void insert(const QModelIndex& chosen);

  Workspace& m_workspace;
  QPlainTextEdit& m_text;
  QStandardItemModel m_items;
  Completions m_completions;
};

}  // namespace thallo::gui
