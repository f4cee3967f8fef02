#include "gui/schedule/view/schedule_completer.h"

#include <algorithm>

#include <QHeaderView>
#include <QScrollBar>
#include <QTextBlock>
#include <QTreeView>

#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int MostWide = 560;

}  // namespace

ScheduleCompleter::ScheduleCompleter(Workspace& workspace, QPlainTextEdit& text)
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

bool ScheduleCompleter::isOfList(int key) {
  return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab ||
         key == Qt::Key_Backtab || key == Qt::Key_Escape;
}

void ScheduleCompleter::refresh() {
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

void ScheduleCompleter::insert(const QModelIndex& chosen) {
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

}  // namespace thallo::gui
