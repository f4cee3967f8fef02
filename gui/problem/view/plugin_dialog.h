// Lists every plugin and problem file that was found, with the reasons why some failed.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>

#include "gui/problem/plugin_table.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class PluginDialog final : public QDialog {
  Q_OBJECT

 public:
  // Opens a non-modal dialog; the window remains usable.
  static PluginDialog* show(Workspace& workspace, QWidget* parent);

 private:
  PluginDialog(Workspace& workspace, QWidget* parent);
  void refresh();
  void showFault();

  Workspace& m_workspace;
  PluginTable* m_plugins;
  QLabel* m_summary;
  QTableView* m_table;
  QPlainTextEdit* m_fault;
  QPushButton* m_rescan;
};

}  // namespace thallo::gui
