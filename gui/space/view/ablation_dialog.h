// What each switch of a search buys: which switches are turned on and off, and a table of the runs.
#pragma once

#include <vector>

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class AblationDialog final : public QDialog {
  Q_OBJECT

 public:
  // Opens a non-modal dialog; the window remains usable.
  static AblationDialog* show(Workspace& workspace, QWidget* parent);

 private:
  AblationDialog(Workspace& workspace, QWidget* parent);
  QWidget* makeForm();
  void refreshSearches();
  void refreshSwitches();
  void refreshRun();
  void showTable(const AblationTable& table);
  QStringList chosen() const;
  QString noteText(int numSwitches) const;
  void run();

  Workspace& m_workspace;
  QComboBox* m_search;
  QSpinBox* m_seconds;
  QPushButton *m_run, *m_stop;
  QGridLayout* m_grid;
  std::vector<QCheckBox*> m_switches;
  QLabel* m_note;
  QTableWidget* m_table;
};

}  // namespace thallo::gui
