#include "gui/problem/view/energy_view.h"

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include <QButtonGroup>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QTimer>
#include <QToolButton>

#include "gui/base/file_text.h"
#include "gui/base/text.h"
#include "gui/base/write_file.h"
#include "gui/problem/energy_draft.h"
#include "gui/problem/view/energy_highlighter.h"
#include "gui/problem/view/energy_text_edit.h"
#include "gui/problem/view/new_energy_dialog.h"
#include "gui/problem/view/unsaved_energy.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// Makes a label with a number above what it counts.
QLabel* makeSizeLabel(const QString& number, const QString& of) {
  auto* label = new QLabel(QStringLiteral("<div style='font-size:large; font-weight:600'>%1</div>"
                                          "<div style='color:%3'>%2</div>")
                               .arg(number.toHtmlEscaped(), of, ink(Ink::Muted).name()));
  label->setTextFormat(Qt::RichText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QToolButton* makeFormButton(const QString& name, const QString& text, const QString& toolTip) {
  auto* button = toolButton(name, text, toolTip);
  button->setCheckable(true);
  button->setAutoRaise(true);
  return button;
}

class EnergyView final : public QWidget {
 public:
  explicit EnergyView(Workspace& workspace)
      : m_workspace(workspace),
        m_sizes(named(new QWidget, "problemSizes")),
        m_sizesLayout(new QGridLayout(m_sizes)),
        m_labels(named(mutedNote(), "problemLabels")),
        m_forms(new QButtonGroup(this)),
        m_text(named(new EnergyTextEdit, "energyText", tr("Energy"))),
        m_highlighter(new EnergyHighlighter(m_text->document())),
        m_found(named(new QWidget, "foundEnergy")),
        m_foundText(named(wrappedLabel(), "foundEnergyText")),
        m_fault(named(faultLabel(), "energyFault")),
        m_save(named(new QPushButton(tr("Save and open")), "saveEnergy")),
        m_duplicate(named(new QPushButton(tr("Duplicate as my own …")), "duplicateEnergy")),
        m_refresh(*this, [this] { showProblem(); }) {
    setObjectName("energyView");
    m_sizesLayout->setContentsMargins(0, 4, 0, 0);
    auto* written = makeFormButton("asWritten", tr("as written"), tr("The text of its author"));
    auto* understood = makeFormButton(
        "asUnderstood", tr("as understood"),
        tr("What Thallo made of it: its inputs, and every residual as an expression of them"));
    m_forms->addButton(written, static_cast<int>(EnergyForm::Written));
    m_forms->addButton(understood, static_cast<int>(EnergyForm::Understood));
    connect(m_forms, &QButtonGroup::idClicked, this,
            [this](int form) { setForm(static_cast<EnergyForm>(form)); });
    m_text->setFont(codeFont());
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->document()->setDocumentMargin(8);
    m_save->setToolTip(
        tr("Writes the energy to its file and opens the problem again; once it has no fault "
           "(Ctrl+S)"));
    m_save->setShortcut(QKeySequence::Save);
    connect(m_save, &QPushButton::clicked, this, &EnergyView::save);
    m_duplicate->setToolTip(tr("Writes a copy of this energy, which is yours to change"));
    connect(m_duplicate, &QPushButton::clicked, this, &EnergyView::duplicate);
    m_typing.setSingleShot(true);
    m_typing.setInterval(300ms);
    connect(&m_typing, &QTimer::timeout, this, &EnergyView::checkText);
    connect(m_text, &QPlainTextEdit::textChanged, this, &EnergyView::takeTyped);

    auto* bar = makeRow({written, understood, Cell::gap(), m_save, m_duplicate}, OwnMargins, 4);
    setLayout(
        makeColumn({m_sizes, m_labels, bar, makeFound(), {m_text, 1}, m_fault}, {0, 0, 0, 0}, 8));
    onThemeChange(*this, [this] {
      if (!m_problem) return;
      m_refresh.askFor([this] { showSizes(*m_problem); });
      m_highlighter->rehighlight();
    });
    connect(&workspace.problems(), &ProblemModel::problemChanged, this, &EnergyView::refresh);
    connect(&workspace.links(), &LinkModel::changed, this, &EnergyView::onLinked);
    connect(&workspace.energyText(), &EnergyText::foundChanged, this, &EnergyView::showFound);
    refresh();
  }

 private:
  void setForm(EnergyForm form) {
    m_form = form;
    showText();
  }

  void refresh() {
    const auto source = m_workspace.problems().source();
    if (source == m_source) return;
    m_source = source;
    m_problem = m_workspace.problems().problem().value;
    stopChecking();
    // The editor has the text of another problem until this one's is shown.
    m_text->setReadOnly(true);
    if (m_source && m_source->isOwn)
      m_workspace.energyText().begin(m_source->file, m_source->text);
    else
      m_workspace.energyText().begin({}, {});
    m_refresh.ask();
  }

  void showSizes(const ProblemSnapshot& problem) {
    while (QLayoutItem* item = m_sizesLayout->takeAt(0)) {
      delete item->widget();
      delete item;
    }
    const std::array<std::pair<QString, QString>, 4> sizes = {
        {{countText(problem.unknowns), tr("unknowns")},
         {countText(problem.residuals), tr("residuals")},
         {countText(problem.linearIterations), tr("linear iterations")},
         {problem.precision, tr("working precision")}}};
    int column = 0;
    for (const auto& [number, of] : sizes)
      m_sizesLayout->addWidget(makeSizeLabel(number, of), 0, column++);
    QStringList labels;
    if (!problem.instance.isEmpty()) labels.append(problem.instance);
    for (const auto& [name, text] : problem.labels) labels.append(name + ' ' + text);
    m_labels->setText(labels.join(QStringLiteral(" · ")));
    m_labels->setVisible(!labels.isEmpty());
  }

  void showProblem() {
    m_sizes->setVisible(m_problem != nullptr);
    m_labels->setVisible(m_problem != nullptr);
    if (m_problem) showSizes(*m_problem);
    // An editor that keeps its problem keeps its cursor, too, and what can be undone.
    if (m_shown == m_source) return mark();
    m_shown = m_source;
    showText();
  }

  void stopChecking() {
    m_typing.stop();
    m_savesChecked = false;
    m_workspace.analysisRunner().cancel("energy text");
  }

  void showText() {
    stopChecking();
    const bool hasText = m_source && !m_source->file.isEmpty();
    m_shownForm = !hasText ? EnergyForm::Understood : !m_problem ? EnergyForm::Written : m_form;
    for (QAbstractButton* button : m_forms->buttons()) button->setVisible(hasText && m_problem);
    m_forms->button(static_cast<int>(m_shownForm))->setChecked(true);
    const bool isWritten = m_shownForm == EnergyForm::Written;
    const bool isEdited = isWritten && m_source->isOwn;
    const EnergyText& energy = m_workspace.energyText();
    m_text->setReadOnly(true);
    if (m_source) {
      const auto symbols = m_problem ? m_problem->symbols : std::vector<EnergySymbol>();
      m_highlighter->setEnergy(m_shownForm, symbols, m_source->words);
      m_text->setWords(m_source->words, symbols);
    }
    m_text->setPlainText(isEdited    ? editorText(energy.text())
                         : isWritten ? editorText(m_source->text)
                         : m_problem ? m_problem->energyText
                                     : QString());
    m_known = typedText();
    m_text->setReadOnly(!isEdited);
    showFound();
    m_save->setVisible(isEdited);
    m_save->setEnabled(false);
    const auto& catalog = m_workspace.problems().catalog().value;
    const bool isText = hasText && catalog &&
                        catalog->energySuffixes.contains('.' + QFileInfo(m_source->file).suffix());
    m_duplicate->setVisible(isText && isWritten && !isEdited);
    m_fault->hide();
    m_faultLine = 0;
    if (isEdited && (energy.isUnsaved() || m_source->isFaulty)) checkText();
    mark();
    if (!m_saved || typedText() != m_saved->text) return;
    // The user goes on typing in the text that was saved.
    QTextCursor cursor = m_text->textCursor();
    cursor.setPosition(m_saved->position);
    m_text->setTextCursor(cursor);
    m_text->verticalScrollBar()->setValue(m_saved->scrolled);
    m_saved.reset();
  }

  // Takes what the user typed. New colors are signalled as a change of the text, too.
  void takeTyped() {
    if (m_text->isReadOnly() || typedText() == m_known) return;
    m_known = typedText();
    m_workspace.energyText().setText(m_known);
    m_save->setEnabled(m_workspace.energyText().isUnsaved());
    m_typing.start();
  }

  // Returns the text with its spaces that do not break, which toPlainText() would replace.
  QString typedText() const {
    return m_text->document()->toRawText().replace(QChar::ParagraphSeparator, '\n');
  }

  QWidget* makeFound() {
    auto* restore = named(new QPushButton(tr("Restore")), "restoreEnergy");
    restore->setToolTip(
        tr("Puts the text into the editor; its file stays as it is until you save"));
    connect(restore, &QPushButton::clicked, this, &EnergyView::restoreFound);
    auto* discard = named(new QPushButton(tr("Discard")), "discardEnergy");
    discard->setToolTip(tr("Deletes the text; the file of the energy stays as it is"));
    connect(discard, &QPushButton::clicked, &m_workspace.energyText(), &EnergyText::discardFound);
    m_found->setLayout(makeRow({{m_foundText, 1}, restore, discard}, {0, 0, 0, 0}));
    return m_found;
  }

  void showFound() {
    const auto& found = m_workspace.energyText().found();
    m_found->setVisible(found && m_source && m_source->isOwn);
    if (!found) return;
    const QString time = found->written.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    m_foundText->setText(
        found->isOfOtherText
            ? tr("Unsaved text of %1 is here. The file was changed since.").arg(time)
            : tr("Unsaved text of %1 is here.").arg(time));
  }

  // Replaces the text as one edit, so that undo brings back what was typed meanwhile.
  void restoreFound() {
    setForm(EnergyForm::Written);
    EnergyText& energy = m_workspace.energyText();
    energy.restoreFound();
    QTextCursor cursor(m_text->document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(editorText(energy.text()));
    m_text->setFocus();
  }

  void checkText() {
    m_typing.stop();
    struct Checked {
      QString fault;
      int line = 0;
    };
    m_workspace.analysisRunner().start(
        "energy text",
        [session = m_workspace.problems().session(), text = typedText(),
         file = m_source->file](const std::stop_token&) {
          Checked checked;
          checked.fault = energyFault(*session, text, file, &checked.line);
          return Expected<Checked>(std::move(checked));
        },
        [this](const Expected<Checked>& checked) {
          m_fault->setText(checked->fault);
          m_fault->setVisible(!checked->fault.isEmpty());
          const EnergyText& energy = m_workspace.energyText();
          m_save->setEnabled(checked->fault.isEmpty() && energy.isUnsaved());
          m_faultLine = checked->line;
          mark();
          if (std::exchange(m_savesChecked, false) && m_save->isEnabled()) return save();
          if (m_faultLine == 0 || energy.isUnsaved()) return;
          // A faulty text was opened.
          m_text->setTextCursor(
              QTextCursor(m_text->document()->findBlockByNumber(m_faultLine - 1)));
          m_text->centerCursor();
        });
  }

  void onLinked() {
    m_refresh.askFor([this] { mark(); });
  }

  // Marks the line of the fault and, in the text that was opened, the lines that are linked.
  void mark() {
    QList<QTextEdit::ExtraSelection> marks;
    const auto add = [&](int line, const QTextCharFormat& format) {
      QTextEdit::ExtraSelection mark;
      mark.format = format;
      mark.cursor = QTextCursor(m_text->document()->findBlockByNumber(line - 1));
      marks.append(mark);
    };
    const std::set<int>& linked = m_workspace.links().linked().lines;
    if (m_shownForm == EnergyForm::Written && !m_workspace.energyText().isUnsaved())
      for (const int line : linked) add(line, linkedFormat());
    if (m_faultLine > 0) {
      QTextCharFormat fault = linkedFormat();
      fault.setBackground(ink(Ink::Bad, 40));
      add(m_faultLine, fault);
    }
    m_text->setExtraSelections(marks);
  }

  // A text that was not checked since it was typed is checked first.
  void save() {
    if (m_typing.isActive()) checkText();
    m_savesChecked = m_workspace.analysisRunner().isBusy("energy text");
    if (m_savesChecked) return;
    const EnergyText& energy = m_workspace.energyText();
    saveEnergy(m_workspace.energyText(), this, [this, &energy] {
      if (!m_source) return;
      const QString& its = m_source->file;
      if (energy.file() == its) {
        m_saved = SavedText{typedText(), m_text->textCursor().position(),
                            m_text->verticalScrollBar()->value()};
        return m_workspace.open(m_workspace.problems().request());
      }
      m_fault->setText(
          tr("%1 is written. The problem is still that of %2.").arg(energy.file(), its));
      m_fault->show();
    });
  }

  void duplicate() {
    askForEnergyFile(this, tr("Where to write the copy"),
                     "my_" + QFileInfo(m_source->file).fileName(), [this](const QString& file) {
                       showWrittenEnergy(
                           m_workspace, file,
                           writeFile(file, bytesOfText(m_source->text), FileBefore::Kept),
                           window());
                     });
  }

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

}  // namespace

QWidget* makeEnergyView(Workspace& workspace) { return new EnergyView(workspace); }

}  // namespace thallo::gui
