#include "gui/problem/view/energy_text_edit.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// The list opens by itself once so many letters of a name are typed.
constexpr int LeastTyped = 2;

bool isOfList(int key) {
  return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab ||
         key == Qt::Key_Backtab || key == Qt::Key_Escape;
}

}  // namespace

EnergyTextEdit::EnergyTextEdit() {
  m_completer.setModel(&m_words);
  m_completer.setModelSorting(QCompleter::CaseSensitivelySortedModel);
  m_completer.setWidget(this);
  QAbstractItemView& list = *m_completer.popup();
  list.setObjectName("energyCompletions");
  list.setAccessibleName(tr("What can be written here"));
  list.setFont(codeFont());
  connect(&m_completer, QOverload<const QString&>::of(&QCompleter::activated), this,
          &EnergyTextEdit::insert);
}

void EnergyTextEdit::setWords(const EnergyWords& words, const std::vector<EnergySymbol>& symbols) {
  QStringList all = words.keywords + words.names;
  for (const EnergySymbol& symbol : symbols) all.append(symbol.name);
  all.sort();
  all.removeDuplicates();
  m_words.setStringList(all);
}

QString EnergyTextEdit::typedName() const {
  static const QRegularExpression Name("[A-Za-z_][\\w.]*$");
  const QTextCursor cursor = textCursor();
  return Name.match(cursor.block().text().left(cursor.positionInBlock())).captured();
}

void EnergyTextEdit::complete(int leastTyped) {
  const QString typed = typedName();
  m_completer.setCompletionPrefix(typed);
  QAbstractItemView& list = *m_completer.popup();
  const int count = m_completer.completionCount();
  const bool isWhole = count == 1 && m_completer.currentCompletion() == typed;
  if (typed.size() < leastTyped || count == 0 || isWhole) return list.hide();
  QRect area = cursorRect().translated(viewport()->x(), viewport()->y());
  area.setWidth(list.sizeHintForColumn(0) + list.verticalScrollBar()->sizeHint().width());
  m_completer.complete(area);
  list.setCurrentIndex(m_completer.completionModel()->index(0, 0));
}

void EnergyTextEdit::insert(const QString& word) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor,
                      static_cast<int>(typedName().size()));
  cursor.insertText(word);
  setTextCursor(cursor);
}

void EnergyTextEdit::keyPressEvent(QKeyEvent* event) {
  const bool isOpen = m_completer.popup()->isVisible();
  if (isOpen && isOfList(event->key())) return event->ignore();
  const bool isWanted = event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier;
  if (isWanted && !isReadOnly()) return complete(0);
  QPlainTextEdit::keyPressEvent(event);
  if (isReadOnly()) return;
  const QString typed = event->text();
  const bool isOfName = !typed.isEmpty() && (typed.front().isLetterOrNumber() || typed == "_");
  if (isOfName || isOpen) complete(LeastTyped);
}

}  // namespace thallo::gui
