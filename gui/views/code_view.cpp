#include "gui/views/code_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

#include "gui/views/theme.h"

namespace thallo::gui {
namespace {

constexpr int GutterMargin = 8;
constexpr int StripeWidth = 4;

}  // namespace

class CodeView::Gutter final : public QWidget {
 public:
  explicit Gutter(CodeView& view) : QWidget(&view), m_view(view) {}

 protected:
  void paintEvent(QPaintEvent* event) override { m_view.paintGutter(event); }

 private:
  CodeView& m_view;
};

CodeView::CodeView(QWidget* parent) : QPlainTextEdit(parent), m_gutter(new Gutter(*this)) {
  setReadOnly(true);
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

void CodeView::showFrom(int line) {
  horizontalScrollBar()->setValue(0);
  verticalScrollBar()->setValue(line);
}

int CodeView::gutterWidth() const {
  const auto digits = QString::number(std::max(100, blockCount())).size();
  return static_cast<int>(digits) * fontMetrics().horizontalAdvance('9') + 2 * GutterMargin +
         StripeWidth;
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

void CodeView::paintGutter(QPaintEvent* event) {
  QPainter painter(m_gutter);
  painter.fillRect(event->rect(), ink(Ink::Raised));
  painter.setPen(ink(Ink::Muted));
  painter.setFont(font());
  const int width = m_gutter->width();
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF area = blockBoundingGeometry(block).translated(contentOffset());
    if (area.top() > event->rect().bottom()) break;
    if (!block.isVisible()) continue;
    const int line = block.blockNumber();
    painter.drawText(QRectF(0, area.top(), width - GutterMargin - StripeWidth, area.height()),
                     Qt::AlignRight | Qt::AlignTop, QString::number(line + 1));
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
