#include "gui/problem/view/new_energy_dialog.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>

#include "gui/base/text.h"
#include "gui/problem/binding_model.h"
#include "gui/problem/energy_draft.h"
#include "gui/widgets/file_edit.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/bound_note.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

class NewEnergyDialog final : public QDialog {
 public:
  NewEnergyDialog(Workspace& workspace, QString energy, QWidget* parent)
      : QDialog(parent),
        m_workspace(workspace),
        m_energy(std::move(energy)),
        m_title(named(new QLineEdit, "energyTitle")),
        m_file(new FileEdit(FileEdit::Asks::ForFileToWrite)),
        m_fault(named(faultLabel(), "energyInputsFault")),
        m_retry(named(new QPushButton(tr("Try again")), "retryInputs")),
        m_open(named(new QPushButton(tr("Write and open")), "writeProblemFile")) {
    const QFileInfo info(m_energy);
    setObjectName("newEnergyDialog");
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Open %1").arg(info.fileName()));
    resize(640, 520);
    auto* explanation = wrappedLabel(tr(
        "What are the inputs of this energy bound to? The answers are written into a problem file "
        "beside it, which names the problem and can be edited and opened again."));
    m_title->setPlaceholderText(tr("of its card; by default the name of the file"));
    m_file->line().setObjectName("problemFile");
    m_file->line().setAccessibleName(tr("Problem file"));
    m_file->line().setText(info.dir().filePath(info.completeBaseName() + ".toml"));
    auto* inputs = new QWidget;
    m_form = new QFormLayout(inputs);
    m_form->setVerticalSpacing(8);
    m_form->setContentsMargins(0, 0, 12, 0);
    m_form->addRow(tr("Title"), m_title);
    m_form->addRow(tr("Problem file"), m_file);
    auto* scroll = new QScrollArea;
    scroll->setWidget(inputs);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(tr("Inputs"));
    m_retry->setAutoDefault(false);
    m_open->setDefault(true);
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_retry, &QPushButton::clicked, this, &NewEnergyDialog::readInputs);
    connect(m_open, &QPushButton::clicked, this, &NewEnergyDialog::write);
    auto* buttons = makeRow({m_retry, Cell::gap(), close, m_open});
    setLayout(makeColumn({explanation, {scroll, 1}, m_fault, buttons}, OwnMargins, 12));
    readInputs();
  }

 private:
  void readInputs() {
    m_retry->hide();
    m_fault->hide();
    m_open->setEnabled(false);
    struct Read {
      std::shared_ptr<const Energy> energy;
      QString file;
    };
    m_workspace.analysisRunner().start(
        "energy inputs",
        [session = m_workspace.problems().session(),
         energy = m_energy](const std::stop_token&) -> Expected<Read> {
          THALLO_TRY(auto loaded, loadEnergy(*session, energy));
          return Read{std::move(loaded), freeProblemFile(*session, energy)};
        },
        [dialog = QPointer(this)](const Expected<Read>& read) {
          if (!dialog) return;
          if (read) {
            dialog->m_read = read->energy;
            QLineEdit& file = dialog->m_file->line();
            if (!file.isModified()) file.setText(read->file);
            return dialog->showInputs();
          }
          dialog->m_retry->show();
          dialog->showFault(toQt(read.error()));
        });
  }

  void showInputs() {
    for (const EnergyInput& input : inputsOf(*m_read)) addInput(input);
    connect(&m_bindings, &BindingModel::changed, this, &NewEnergyDialog::showFacts);
    if (!m_rows.empty()) m_rows.front().line->setFocus();
    refreshButton();
  }

  void addInput(const EnergyInput& input) {
    auto* file = input.isFile ? new FileEdit : nullptr;
    QLineEdit* line = file != nullptr ? &file->line() : new QLineEdit;
    line->setObjectName(QStringLiteral("input_") + input.name);
    line->setPlaceholderText(input.kind == QLatin1String("unknown")
                                 ? tr("starts at zero, or from %1").arg(input.accepts)
                                 : input.accepts);
    line->setToolTip(input.accepts);
    connect(line, &QLineEdit::textChanged, this, &NewEnergyDialog::check);
    const QString what =
        input.shape.isEmpty() ? input.kind : input.kind + QStringLiteral(" over ") + input.shape;
    line->setAccessibleName(input.name + ", " + what);
    auto* name = new QLabel(
        QStringLiteral("<b>%1</b><br><span style='color:%3'>%2</span>")
            .arg(input.name.toHtmlEscaped(), what.toHtmlEscaped(), ink(Ink::Muted).name()));
    name->setBuddy(line);
    auto* note = new BoundNote(line, {});
    note->text().setObjectName(QStringLiteral("note_") + input.name);
    auto* cell =
        makeColumn({file != nullptr ? static_cast<QWidget*>(file) : line, note}, OwnMargins, 2);
    m_form->addRow(name, cell);
    m_rows.push_back({input, line, note});
  }

  EnergyDraft draft() const {
    EnergyDraft draft{
        .energy = m_energy, .file = m_file->text(), .title = m_title->text().trimmed()};
    for (const Row& row : m_rows) {
      if (const QString text = row.line->text().trimmed(); !text.isEmpty())
        draft.bindings.emplace_back(row.input.name, text);
    }
    return draft;
  }

  bool isComplete() const {
    return std::ranges::all_of(m_rows, [](const Row& row) {
      return row.input.mayBeMissing || !row.line->text().trimmed().isEmpty();
    });
  }

  void check() {
    m_bindings.checkBindings(m_read, absoluteSources(draft()), isComplete());
    refreshButton();
  }

  // Faults that concern no single input stand below all of them.
  void showFacts() {
    BindingModel::Facts facts = m_bindings.facts();
    for (const Row& row : m_rows) row.note->show(facts[row.input.name]);
    const QString rest = facts[QString()].fault;
    rest.isEmpty() ? m_fault->hide() : showFault(rest);
    refreshButton();
  }

  void refreshButton() {
    const bool hasFault = !m_bindings.isBusy() && m_bindings.hasFault();
    m_open->setEnabled(m_read != nullptr && isComplete() && !hasFault);
    m_open->setToolTip(!isComplete() ? tr("Bind every array, param and map first")
                       : hasFault    ? tr("What is wrong stands below the inputs")
                                     : tr("Writes the problem file, and opens it"));
  }

  void showFault(const QString& fault) {
    m_fault->setText(fault);
    m_fault->show();
  }

  void write() {
    const EnergyDraft draft = this->draft();
    m_fault->hide();
    m_open->setEnabled(false);
    struct Written {};
    m_workspace.analysisRunner().start(
        "energy inputs",
        [session = m_workspace.problems().session(),
         draft](const std::stop_token&) -> Expected<Written> {
          THALLO_CHECK(writeProblemFile(*session, draft));
          return Written{};
        },
        [dialog = QPointer(this), file = draft.file](const Expected<Written>& written) {
          if (!dialog) return;
          if (!written) {
            dialog->refreshButton();
            return dialog->showFault(toQt(written.error()));
          }
          dialog->m_workspace.openFile(file);
          dialog->close();
        });
  }

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

}  // namespace

QDialog* showNewEnergy(Workspace& workspace, const QString& energy, QWidget* parent) {
  auto* dialog = new NewEnergyDialog(workspace, energy, parent);
  dialog->open();
  return dialog;
}

void showWrittenEnergy(Workspace& workspace, const QString& energy, const Expected<void>& written,
                       QWidget* parent) {
  if (written) return void(showNewEnergy(workspace, energy, parent));
  auto* box = new QMessageBox(QMessageBox::Warning, QObject::tr("The energy was not written"),
                              toQt(written.error()), QMessageBox::Close, parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace thallo::gui
