#include "gui/widgets/code_view.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int GutterMargin = 8;
constexpr int StripeWidth = 4;

QColor colorOf(LineChange change, int alpha = 255) {
  return ink(change == LineChange::Added ? Ink::Good : Ink::Bad, alpha);
}

}  // namespace

CodeView::CodeView()
    : m_gutter(new EditorMargin(*this, [this](const QPaintEvent& event) { paintGutter(event); })) {
  setReadOnly(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setFont(codeFont());
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabStopDistance(2 * fontMetrics().horizontalAdvance(' '));
  connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeView::layOutGutter);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int) {
    m_gutter->update(0, area.y(), m_gutter->width(), area.height());
  });
  layOutGutter();
}

void CodeView::setStripe(int first, int last, const QColor& color) {
  m_first = first;
  m_last = last;
  m_color = color;
  m_gutter->update();
}

void CodeView::setChanges(std::vector<LineChange> changes) {
  m_changes = std::move(changes);
  m_numbers.clear();
  int number = 0;
  for (const LineChange change : m_changes)
    m_numbers.push_back(change == LineChange::Removed ? 0 : ++number);
  layOutGutter();
  viewport()->update();
  m_gutter->update();
}

LineChange CodeView::changeOf(int line) const {
  const auto at = static_cast<std::size_t>(line);
  return at < m_changes.size() ? m_changes[at] : LineChange::None;
}

void CodeView::paintEvent(QPaintEvent* event) {
  if (!m_changes.empty()) {
    QPainter painter(viewport());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
      const QRectF area = blockBoundingGeometry(block).translated(contentOffset());
      if (area.top() > event->rect().bottom()) break;
      const LineChange change = changeOf(block.blockNumber());
      if (change == LineChange::None) continue;
      painter.fillRect(QRectF(0, area.top(), viewport()->width(), area.height()),
                       colorOf(change, 36));
    }
  }
  QPlainTextEdit::paintEvent(event);
}

void CodeView::setLinked(const std::vector<int>& lines) {
  QList<QTextEdit::ExtraSelection> marks;
  for (const int line : lines) {
    QTextEdit::ExtraSelection mark;
    mark.format = linkedFormat();
    mark.cursor = QTextCursor(document()->findBlockByNumber(line));
    marks.append(mark);
  }
  setExtraSelections(marks);
  const int top = firstVisibleBlock().blockNumber();
  const int bottom = top + viewport()->height() / fontMetrics().lineSpacing();
  const auto isSeen = [&](int line) { return line >= top && line < bottom; };
  constexpr int NumBefore = 3;
  if (!lines.empty() && std::ranges::none_of(lines, isSeen)) showFrom(lines.front() - NumBefore);
}

void CodeView::mouseReleaseEvent(QMouseEvent* event) {
  QPlainTextEdit::mouseReleaseEvent(event);
  if (event->button() == Qt::LeftButton && !textCursor().hasSelection())
    Q_EMIT lineChosen(textCursor().blockNumber());
}

void CodeView::keyReleaseEvent(QKeyEvent* event) {
  QPlainTextEdit::keyReleaseEvent(event);
  switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Home:
    case Qt::Key_End:
      if (!textCursor().hasSelection()) Q_EMIT lineChosen(textCursor().blockNumber());
      break;
    default: break;
  }
}

void CodeView::showFrom(int line) {
  horizontalScrollBar()->setValue(0);
  verticalScrollBar()->setValue(line);
}

int CodeView::gutterWidth() const {
  const auto digits = QString::number(std::max(100, blockCount())).size();
  return static_cast<int>(digits) * fontMetrics().horizontalAdvance('9') + 2 * GutterMargin +
         StripeWidth + (m_changes.empty() ? 0 : 2 * fontMetrics().horizontalAdvance('+'));
}

void CodeView::layOutGutter() {
  setViewportMargins(gutterWidth(), 0, 0, 0);
  const QRect area = contentsRect();
  m_gutter->setGeometry(area.left(), area.top(), gutterWidth(), area.height());
}

void CodeView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  layOutGutter();
}

void CodeView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::FontChange) layOutGutter();
}

void CodeView::paintGutter(const QPaintEvent& event) {
  QPainter painter(m_gutter);
  painter.fillRect(event.rect(), ink(Ink::Raised));
  painter.setFont(font());
  const int width = m_gutter->width();
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF area = blockBoundingGeometry(block).translated(contentOffset());
    if (area.top() > event.rect().bottom()) break;
    if (!block.isVisible()) continue;
    const int line = block.blockNumber();
    const QRectF text(GutterMargin, area.top(), width - 2 * GutterMargin - StripeWidth,
                      area.height());
    const int number = m_numbers.empty() ? line + 1 : m_numbers.at(static_cast<std::size_t>(line));
    painter.setPen(ink(Ink::Muted));
    if (number > 0) painter.drawText(text, Qt::AlignRight | Qt::AlignTop, QString::number(number));
    if (const LineChange change = changeOf(line); change != LineChange::None) {
      painter.setPen(colorOf(change));
      painter.drawText(text, Qt::AlignLeft | Qt::AlignTop,
                       change == LineChange::Added ? QStringLiteral("+") : QStringLiteral("−"));
    }
    if (line >= m_first && line <= m_last)
      painter.fillRect(QRectF(width - StripeWidth, area.top(), StripeWidth, area.height() + 1),
                       m_color);
  }
}

bool CodeView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !m_explain) return QPlainTextEdit::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QTextCursor cursor = cursorForPosition(help->pos());
  cursor.select(QTextCursor::WordUnderCursor);
  const QString text = m_explain(cursor.selectedText());
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace thallo::gui
