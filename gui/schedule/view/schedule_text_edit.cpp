#include "gui/schedule/view/schedule_text_edit.h"

#include <algorithm>
#include <chrono>

#include <QCompleter>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTextBlock>
#include <QTextEdit>
#include <QTimer>
#include <QToolTip>
#include <QTreeView>

#include "gui/schedule/schedule_completion.h"
#include "gui/schedule/schedule_text.h"
#include "gui/widgets/code_view.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/rule_highlighter.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

constexpr int MostWide = 560;

using namespace std::chrono_literals;

constexpr auto TypingPause = 300ms;
constexpr int MarginPadding = 8;

// The completion list of the schedule text. It opens at Ctrl+Space and while a name is typed.
// Return and Tab take the marked entry; Escape closes it.
class ScheduleCompleter final : public QCompleter {
 public:
  ScheduleCompleter(Workspace& workspace, QPlainTextEdit& text)
      : QCompleter(&text), m_workspace(workspace), m_text(text) {
    auto* list = named(new QTreeView, "completions", tr("What can be written here"));
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setModel(&m_items);
    setPopup(list);
    list->header()->hide();
    list->setSelectionBehavior(QAbstractItemView::SelectRows);
    setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    setWidget(&text);
    connect(this, QOverload<const QModelIndex&>::of(&QCompleter::activated), this,
            &ScheduleCompleter::insert);
  }

  bool isOpen() const { return popup()->isVisible(); }

  // Lists the completions at the cursor; closes if there are none.
  void refresh() {
    const auto& table = m_workspace.schedule().sites().value;
    const auto& problem = m_workspace.problems().problem().value;
    const QTextCursor cursor = m_text.textCursor();
    const QString line = cursor.block().text();
    const int column = cursor.positionInBlock();
    const QString rest = line.mid(column).trimmed();
    m_completions = {};
    if (table && problem && !cursor.hasSelection() && (rest.isEmpty() || rest.startsWith("--")))
      m_completions = completionsAt(line.left(column), *table, problem->constructs);
    m_items.clear();
    for (const Completion& completion : m_completions.items) {
      auto* words = new QStandardItem(completion.words);
      words->setForeground(ink(Ink::Muted));
      words->setToolTip(completion.words);
      auto* text = new QStandardItem(completion.text);
      text->setFont(codeFont());
      text->setData(completion.text + ", " + completion.words, Qt::AccessibleTextRole);
      m_items.appendRow({text, words});
    }
    if (m_completions.items.empty()) return popup()->hide();
    auto& list = static_cast<QTreeView&>(*popup());
    list.resizeColumnToContents(0);
    list.resizeColumnToContents(1);
    QRect area = m_text.cursorRect().translated(m_text.viewport()->x(), m_text.viewport()->y());
    area.setWidth(std::min(MostWide, list.columnWidth(0) + list.columnWidth(1) +
                                         list.verticalScrollBar()->sizeHint().width()));
    complete(area);
    list.setCurrentIndex(completionModel()->index(0, 0));
  }

  // True if the open list handles this key.
  static bool isOfList(int key) {
    return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab ||
           key == Qt::Key_Backtab || key == Qt::Key_Escape;
  }

 private:
  void insert(const QModelIndex& chosen) {
    const auto at = static_cast<std::size_t>(chosen.row());
    if (at >= m_completions.items.size()) return;
    const QString text = m_completions.items[at].text;
    QTextCursor cursor = m_text.textCursor();
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor,
                        cursor.positionInBlock() - m_completions.begin);
    cursor.insertText(text);
    m_text.setTextCursor(cursor);
    // Offers the next completions at once.
    if (text.endsWith(':') || text.endsWith('(') || text.endsWith('{')) refresh();
  }

  Workspace& m_workspace;
  QPlainTextEdit& m_text;
  QStandardItemModel m_items;
  Completions m_completions;
};

// Methods, quoted names, numbers and comments.
RuleHighlighter* highlight(QTextDocument* text) {
  return new RuleHighlighter(text, {{QRegularExpression(":\\s*(\\w+)"), Ink::Accent, false, 1},
                                    {QRegularExpression("\\b(true|false|\\d+)\\b"), Ink::Product},
                                    {QRegularExpression("(\"[^\"]*\"|'[^']*')"), Ink::Residual},
                                    {QRegularExpression("--.*$"), Ink::Muted}});
}

class ScheduleTextEdit final : public QPlainTextEdit {
 public:
  explicit ScheduleTextEdit(Workspace& workspace)
      : m_workspace(workspace),
        m_margin(new EditorMargin(*this, [this](const QPaintEvent& event) { paintMargin(event); })),
        m_highlighter(highlight(document())),
        m_completer(new ScheduleCompleter(workspace, *this)) {
    named(this, "scheduleText", tr("Schedule text"));
    setFont(codeFont());
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setPlaceholderText(
        tr("No directive: parts as the groups are written, everything recomputed. A directive that "
           "is typed here, or a choice that is made at the left, changes that."));
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &ScheduleTextEdit::submit);
    connect(this, &QPlainTextEdit::textChanged, this, &ScheduleTextEdit::onTextChanged);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
      dy != 0 ? m_margin->scroll(0, dy)
              : m_margin->update(0, area.y(), marginWidth(), area.height());
    });
    connect(this, &QPlainTextEdit::blockCountChanged, this,
            [this] { setViewportMargins(marginWidth(), 0, MarginPadding, 0); });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &ScheduleTextEdit::onCursorMoved);
    ScheduleModel& schedule = workspace.schedule();
    connect(&schedule, &ScheduleModel::scheduleChanged, this, &ScheduleTextEdit::refreshText);
    connect(&schedule, &ScheduleModel::draftChanged, this, &ScheduleTextEdit::refreshMarks);
    connect(&schedule, &ScheduleModel::sitesChanged, this, &ScheduleTextEdit::refreshMarks);
    connect(&workspace.selection(), &SelectionModel::changed, this,
            &ScheduleTextEdit::refreshMarks);
    connect(&workspace.links(), &LinkModel::changed, this, &ScheduleTextEdit::refreshMarks);
    connect(&workspace, &Workspace::leaving, this, &ScheduleTextEdit::handOver);
    onThemeChange(*this, [this] {
      m_highlighter->rehighlight();
      refreshMarks();
    });
    setViewportMargins(marginWidth(), 0, MarginPadding, 0);
    refreshText();
  }

 protected:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::ShortcutOverride) {
      const auto* key = static_cast<QKeyEvent*>(event);
      const bool isOfSchedule =
          (key->matches(QKeySequence::Undo) && !document()->isUndoAvailable()) ||
          (key->matches(QKeySequence::Redo) && !document()->isRedoAvailable());
      if (isOfSchedule) {
        event->ignore();
        return false;
      }
    }
    if (event->type() == QEvent::ToolTip && showFaultTip(static_cast<QHelpEvent*>(event)))
      return true;
    return QPlainTextEdit::event(event);
  }

  void keyPressEvent(QKeyEvent* event) override {
    if (m_completer->isOpen() && ScheduleCompleter::isOfList(event->key())) return event->ignore();
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier)
      return m_completer->refresh();
    QPlainTextEdit::keyPressEvent(event);
    if (isReadOnly()) return;
    const QString typed = event->text();
    const bool isOfName = !typed.isEmpty() && typed.front().isPrint() && !typed.front().isSpace();
    if (isOfName || m_completer->isOpen()) m_completer->refresh();
  }

  void resizeEvent(QResizeEvent* event) override {
    QPlainTextEdit::resizeEvent(event);
    const QRect area = contentsRect();
    m_margin->setGeometry(area.left(), area.top(), marginWidth(), area.height());
  }

  void focusOutEvent(QFocusEvent* event) override {
    // The user may have clicked at another schedule, which would replace the text.
    if (event->reason() != Qt::PopupFocusReason) handOver();
    QPlainTextEdit::focusOutEvent(event);
  }

 private:
  int marginWidth() const {
    const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
    return 2 * MarginPadding + static_cast<int>(digits) * fontMetrics().horizontalAdvance('0');
  }

  void paintMargin(const QPaintEvent& event) {
    QPainter painter(m_margin);
    painter.fillRect(event.rect(), ink(Ink::Surface));
    painter.setFont(font());
    const auto& faults = m_workspace.schedule().faults();
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid() && top <= event.rect().bottom(); block = block.next()) {
      const int line = block.blockNumber() + 1;
      const bool isFaulty = std::ranges::find(faults, line, &TextFault::line) != faults.end();
      painter.setPen(ink(isFaulty ? Ink::Bad : Ink::Muted));
      painter.drawText(QRectF(0, top, marginWidth() - MarginPadding, fontMetrics().height()),
                       Qt::AlignRight, QString::number(line));
      top += blockBoundingRect(block).height();
    }
  }

  // True while the user is typing and the text has not been applied yet.
  bool isTyping() const { return m_pause.isActive(); }

  // Returns the text in the model: that of the schedule, or the typed one while it has faults.
  const QString& modelText() const {
    const ScheduleModel& schedule = m_workspace.schedule();
    return schedule.faults().empty() ? schedule.text() : schedule.draft();
  }

  void onTextChanged() {
    // A change of colors is signalled as a change of text, too.
    if (toPlainText() == m_known) return;
    m_known = toPlainText();
    if (m_known == modelText())
      m_pause.stop();
    else if (!m_isReplacing)
      m_pause.start(TypingPause);
  }

  void submit() {
    if (toPlainText() == modelText()) return refreshText();
    m_workspace.schedule().setText(toPlainText());
  }

  // Applies the typed text without waiting for the pause.
  void handOver() {
    if (!isTyping()) return;
    m_pause.stop();
    submit();
  }

  void refreshText() {
    const ScheduleModel& schedule = m_workspace.schedule();
    setReadOnly(schedule.schedule().value == nullptr);
    if (isTyping() || schedule.isChanging()) return;
    if (toPlainText() != modelText()) {
      m_isReplacing = true;
      setPlainText(modelText());
      m_isReplacing = false;
    }
    refreshMarks();
  }

  void refreshMarks() {
    const ScheduleModel& schedule = m_workspace.schedule();
    m_sites.clear();
    if (const auto& table = schedule.sites().value) m_sites = sitesOfLines(toPlainText(), *table);
    QList<QTextEdit::ExtraSelection> marks;
    const auto mark = [this, &marks](int line, const QTextCharFormat& format) {
      const QTextBlock block = document()->findBlockByNumber(line);
      if (!block.isValid()) return;
      QTextEdit::ExtraSelection marked;
      marked.format = format;
      marked.cursor = QTextCursor(block);
      marked.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
      marks.append(marked);
    };
    const int chosen = lineOfSelection();
    for (int line = 0; line < m_sites.size(); ++line) {
      const bool isLinked =
          !m_sites[line].isEmpty() && m_workspace.links().linked().hasSite(m_sites[line]);
      if (line == chosen || isLinked) mark(line, linkedFormat());
    }
    for (const TextFault& fault : schedule.faults()) {
      QTextCharFormat wrong;
      wrong.setUnderlineStyle(QTextCharFormat::WaveUnderline);
      wrong.setUnderlineColor(ink(Ink::Bad));
      wrong.setToolTip(fault.text);
      mark(std::max(0, fault.line - 1), wrong);
    }
    setExtraSelections(marks);
    m_margin->update();
  }

  void onCursorMoved() {
    if (!hasFocus() || m_isReplacing || isTyping()) return;
    const QString site = m_sites.value(textCursor().blockNumber());
    if (!site.isEmpty()) m_workspace.selection().select({Selection::Kind::Site, site});
  }

  int lineOfSelection() const {
    const Selection& selection = m_workspace.selection().current();
    if (selection.kind != Selection::Kind::Site) return -1;
    return static_cast<int>(m_sites.indexOf(selection.id));
  }

  bool showFaultTip(QHelpEvent* event) {
    const int line =
        cursorForPosition(viewport()->mapFromGlobal(event->globalPos())).blockNumber() + 1;
    const auto& faults = m_workspace.schedule().faults();
    const auto fault = std::ranges::find(faults, line, &TextFault::line);
    if (fault == faults.end()) return false;
    QToolTip::showText(event->globalPos(), fault->text, this);
    return true;
  }

  Workspace& m_workspace;
  QTimer m_pause;
  QWidget* m_margin;
  RuleHighlighter* m_highlighter;
  ScheduleCompleter* m_completer;
  QStringList m_sites;  // by line
  QString m_known;      // the text at the last check
  bool m_isReplacing = false;
};

}  // namespace

QPlainTextEdit* makeScheduleTextEdit(Workspace& workspace) {
  return new ScheduleTextEdit(workspace);
}

}  // namespace thallo::gui
