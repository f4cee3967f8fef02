// The energy of the problem that is open: its sizes, and its text as it was written and as it is
// understood. An energy of one's own (of a .toml file) can be edited: faults are shown as it is
// typed, and saving opens the problem again.
#pragma once

#include <QButtonGroup>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include "gui/models/workspace.h"
#include "gui/views/energy_highlighter.h"

namespace thallo::gui {

class EnergyView final : public QWidget {
  Q_OBJECT

 public:
  explicit EnergyView(Workspace& workspace, QWidget* parent = nullptr);

  EnergyForm form() const { return m_form; }
  void setForm(EnergyForm form);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void showSizes(const ProblemSnapshot& problem);
  void showText();
  bool isEditable() const;
  void checkText();
  void save();

  Workspace& m_workspace;
  EnergyForm m_form = EnergyForm::Written;
  std::shared_ptr<const ProblemSnapshot> m_problem;
  QWidget* m_sizes;
  QGridLayout* m_sizesLayout;
  QLabel* m_labels;
  QButtonGroup* m_forms;
  QPlainTextEdit* m_text;
  EnergyHighlighter* m_highlighter;
  QLabel* m_fault;
  QPushButton* m_save;
  QTimer m_typing;  // a text is checked when nothing was typed for a moment
};

}  // namespace thallo::gui
