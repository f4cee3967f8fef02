// Makes a problem from an energy text: asks for the bindings of its inputs, writes them to a .toml
// file, and opens it. What is bound is checked while it is typed: below each input stands how large
// its file is, or what is wrong with it.
#pragma once

#include <memory>
#include <vector>

#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "gui/problem/binding_model.h"
#include "gui/problem/energy_draft.h"
#include "gui/widgets/file_edit.h"
#include "gui/workspace/view/bound_note.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class NewEnergyDialog final : public QDialog {
  Q_OBJECT

 public:
  static NewEnergyDialog* show(Workspace& workspace, const QString& energy, QWidget* parent);
  // Shows it for a text that was written a moment ago, or says why that could not be written.
  static void showWritten(Workspace& workspace, const QString& energy,
                          const Expected<void>& written, QWidget* parent);

 private:
  NewEnergyDialog(Workspace& workspace, QString energy, QWidget* parent);
  void readInputs();
  void showInputs();
  void addInput(const EnergyInput& input);
  EnergyDraft draft() const;
  bool isComplete() const;
  void check();
  void showFacts();
  void refreshButton();
  void showFault(const QString& fault);
  void write();

  struct Row {
    EnergyInput input;
    QLineEdit* line;
    BoundNote* note;
  };

  Workspace& m_workspace;
  QString m_energy;
  std::shared_ptr<const Energy> m_read;  // null until the text was read
  BindingModel m_bindings;
  QLineEdit* m_title;
  FileEdit* m_file;
  QFormLayout* m_form;
  std::vector<Row> m_rows;
  QLabel* m_fault;
  QPushButton *m_retry, *m_open;
};

}  // namespace thallo::gui
