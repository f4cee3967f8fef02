// The completion list of the schedule text. It opens at Ctrl+Space and while a name is typed.
// Return and Tab take the marked entry; Escape closes it.
#pragma once

#include <QCompleter>
#include <QPlainTextEdit>
#include <QStandardItemModel>

#include "gui/schedule/schedule_completion.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class ScheduleCompleter final : public QCompleter {
  Q_OBJECT

 public:
  ScheduleCompleter(Workspace& workspace, QPlainTextEdit& text);

  bool isOpen() const { return popup()->isVisible(); }
  // Lists the completions at the cursor; closes if there are none.
  void refresh();
  // True if the open list handles this key.
  static bool isOfList(int key);

 private:
  void insert(const QModelIndex& chosen);

  Workspace& m_workspace;
  QPlainTextEdit& m_text;
  QStandardItemModel m_items;
  Completions m_completions;
};

}  // namespace thallo::gui
