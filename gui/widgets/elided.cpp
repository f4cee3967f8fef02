#include "gui/widgets/elided.h"

#include <algorithm>

#include <QPainter>
#include <QStyleOptionButton>
#include <QStylePainter>

namespace thallo::gui {
namespace {

constexpr int LeastLetters = 4;  // minimum visible length of a text, in widths of an x

}  // namespace

ElidedLabel::ElidedLabel(const QString& text) : QLabel(text) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  painter.drawText(rect(), static_cast<int>(alignment()),
                   fontMetrics().elidedText(text(), Qt::ElideRight, width()));
}

QSize ElidedRadioButton::minimumSizeHint() const {
  const QSize all = sizeHint();
  const int words = fontMetrics().size(Qt::TextShowMnemonic, text()).width();
  const int least = std::min(words, LeastLetters * fontMetrics().horizontalAdvance('x'));
  return {all.width() - words + least, all.height()};
}

void ElidedRadioButton::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  const int room = style()->subElementRect(QStyle::SE_RadioButtonContents, &option, this).width();
  option.text = fontMetrics().elidedText(text(), Qt::ElideRight, room, Qt::TextShowMnemonic);
  painter.drawControl(QStyle::CE_RadioButton, option);
}

}  // namespace thallo::gui
