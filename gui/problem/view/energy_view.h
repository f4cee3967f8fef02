// Shows the energy of the open problem: its sizes, and its text both as written and as Thallo
// understands it. Of a problem that could not be opened, it shows the text alone, to be mended.
// The user's own energies (from .toml files) can be edited: faults appear while typing, and saving
// reopens the problem.
#pragma once

#include <optional>

#include <QButtonGroup>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include "gui/problem/view/energy_highlighter.h"
#include "gui/problem/view/energy_text_edit.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/workspace.h"

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
  void showProblem();
  void stopChecking();
  void showText();
  void takeTyped();
  QString typedText() const;
  QWidget* makeFound();
  void showFound();
  void restoreFound();
  void checkText();
  void onLinked();
  void mark();
  void save();
  void duplicate();

  // The text that was saved and is opened again, and where the user was in it.
  struct SavedText {
    QString text;
    int position = 0, scrolled = 0;
  };

  Workspace& m_workspace;
  EnergyForm m_form = EnergyForm::Written;
  EnergyForm m_shownForm = EnergyForm::Understood;  // m_form, if the energy has a text
  std::shared_ptr<const EnergySource> m_source;
  std::shared_ptr<const EnergySource> m_shown;       // the one whose text is in the editor
  std::shared_ptr<const ProblemSnapshot> m_problem;  // null if it could not be opened
  QString m_known;  // the text that the editor had when it was last looked at
  QWidget* m_sizes;
  QGridLayout* m_sizesLayout;
  QLabel* m_labels;
  QButtonGroup* m_forms;
  EnergyTextEdit* m_text;
  EnergyHighlighter* m_highlighter;
  QWidget* m_found;  // offers unsaved text that a killed program left
  QLabel* m_foundText;
  QLabel* m_fault;
  QPushButton *m_save, *m_duplicate;
  int m_faultLine = 0;          // from 1; 0 if there is no fault, or it has no line
  bool m_savesChecked = false;  // true if the text is to be saved once it has no fault
  std::optional<SavedText> m_saved;
  ShownRefresh m_refresh;
  QTimer m_typing;  // checks a text once typing has paused
};

}  // namespace thallo::gui
