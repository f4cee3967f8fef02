#include "gui/problem/view/new_files_dialog.h"

#include <QDesktopServices>
#include <QDir>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QUrl>

#include "gui/jobs/command.h"
#include "gui/widgets/file_edit.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

class NewFilesDialog final : public QDialog {
 public:
  NewFilesDialog(Workspace& workspace, NewFiles what, QWidget* parent)
      : QDialog(parent),
        m_workspace(workspace),
        m_what(what),
        m_name(named(new QLineEdit, "newName")),
        m_folder(new FileEdit(FileEdit::Asks::ForFolder)),
        m_make(named(new QPushButton(tr("Make")), "newMake")),
        m_show(new QPushButton(tr("Show the folder"))),
        m_fault(named(faultLabel(), "newFault")),
        m_printed(named(new QPlainTextEdit, "newPrinted", tr("What was made"))) {
    const bool isProblem = what == NewFiles::Problem;
    setObjectName("newFilesDialog");
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(isProblem ? tr("New problem") : tr("New construct"));
    setMinimumWidth(680);
    auto* explanation = wrappedLabel(
        isProblem
            ? tr("Makes a folder with a problem in C++ to start from: its energy, its input and "
                 "its report. For an energy on files none is needed: open the energy.")
            : tr("Makes a folder with a construct in C++ to start from: a new kind of decision "
                 "in schedules. Its plugin is found as all others are."));
    m_name->setPlaceholderText(isProblem ? tr("my_problem") : tr("my_construct"));
    m_name->setToolTip(tr("Lower-case letters, digits and _, a letter first"));
    m_folder->line().setObjectName("newFolder");
    m_folder->line().setAccessibleName(tr("In the folder"));
    m_folder->line().setText(QDir::homePath());
    m_folder->setToolTip(tr("The folder of the name is made in this one"));
    auto* form = new QFormLayout;
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("In the folder"), m_folder);
    m_fault->hide();
    m_printed->setReadOnly(true);
    m_printed->setFont(codeFont());
    m_printed->setMinimumHeight(200);
    m_printed->hide();
    m_make->setDefault(true);
    m_make->setEnabled(false);
    m_show->hide();
    m_show->setAutoDefault(false);
    connect(m_name, &QLineEdit::textChanged, this,
            [this](const QString& name) { m_make->setEnabled(!name.trimmed().isEmpty()); });
    connect(m_make, &QPushButton::clicked, this, &NewFilesDialog::make);
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = makeRow({m_show, Cell::gap(), close, m_make});
    setLayout(makeColumn({explanation, form, m_fault, {m_printed, 1}, buttons}, OwnMargins, 12));
    m_name->setFocus();
  }

  void make() {
    m_make->setEnabled(false);
    m_fault->hide();
    new Command(
        {m_workspace.options().workerCommand.front(), "new",
         m_what == NewFiles::Problem ? "problem" : "construct", m_name->text().trimmed(), "--dir",
         m_folder->text()},
        [this](const Expected<QString>& printed) { finish(printed); }, this);
  }

  void finish(const Expected<QString>& printed) {
    m_make->setEnabled(true);
    if (!printed) {
      m_fault->setText(QString::fromStdString(printed.error().message()));
      m_fault->show();
      return;
    }
    m_printed->setPlainText(*printed);
    m_printed->show();
    const QString folder = QDir(m_folder->text()).filePath(m_name->text().trimmed());
    m_show->disconnect();
    connect(m_show, &QPushButton::clicked, this,
            [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    m_show->setToolTip(folder);
    m_show->show();
    adjustSize();
  }

  Workspace& m_workspace;
  NewFiles m_what;
  QLineEdit* m_name;
  FileEdit* m_folder;
  QPushButton *m_make, *m_show;
  QLabel* m_fault;
  QPlainTextEdit* m_printed;
};

}  // namespace

QDialog* showNewFiles(Workspace& workspace, NewFiles what, QWidget* parent) {
  auto* dialog = new NewFilesDialog(workspace, what, parent);
  dialog->open();
  return dialog;
}

}  // namespace thallo::gui
