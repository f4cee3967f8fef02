// Makes a problem from an energy text: asks for the bindings of its inputs, writes them to a .toml
// file, and opens it.
#pragma once

#include <vector>

#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "gui/problem/energy_draft.h"
#include "gui/widgets/file_edit.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class NewEnergyDialog final : public QDialog {
  Q_OBJECT

 public:
  static NewEnergyDialog* show(Workspace& workspace, const QString& energy, QWidget* parent);

 private:
  NewEnergyDialog(Workspace& workspace, QString energy, QWidget* parent);
  void readInputs();
  void showInputs(const std::vector<EnergyInput>& inputs);
  void refreshButton();
  void showFault(const QString& fault);
  void write();

  struct Row {
    EnergyInput input;
    QLineEdit* line;
  };

  Workspace& m_workspace;
  QString m_energy;
  QLineEdit* m_title;
  FileEdit* m_file;
  QFormLayout* m_form;
  std::vector<Row> m_rows;
  QLabel* m_fault;
  QPushButton *m_retry, *m_open;
};

}  // namespace thallo::gui
