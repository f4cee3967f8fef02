// Begins a new problem or construct: runs `thallo new` and shows the files that it has made.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

#include "gui/widgets/file_edit.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class NewFilesDialog final : public QDialog {
  Q_OBJECT

 public:
  enum class What { Problem, Construct };

  static NewFilesDialog* show(Workspace& workspace, What what, QWidget* parent);

 private:
  NewFilesDialog(Workspace& workspace, What what, QWidget* parent);
  void make();
  void finish(const Expected<QString>& printed);

  Workspace& m_workspace;
  What m_what;
  QLineEdit* m_name;
  FileEdit* m_folder;
  QPushButton *m_make, *m_show;
  QLabel* m_fault;
  QPlainTextEdit* m_printed;
};

}  // namespace thallo::gui
