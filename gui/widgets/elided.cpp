#include "gui/widgets/elided.h"

#include <algorithm>

#include <QAbstractButton>
#include <QPainter>
#include <QStyleOptionButton>
#include <QStylePainter>

namespace thallo::gui {
namespace {

constexpr int LeastLetters = 4;  // minimum visible length of a text, in widths of an x

// The size hint of a button, with room for the first letters of its text only.
QSize leastSize(const QAbstractButton& button) {
  const QSize all = button.sizeHint();
  const int words = button.fontMetrics().size(Qt::TextShowMnemonic, button.text()).width();
  const int least = std::min(words, LeastLetters * button.fontMetrics().horizontalAdvance('x'));
  return {all.width() - words + least, all.height()};
}

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

QSize ElidedButton::minimumSizeHint() const { return leastSize(*this); }

void ElidedButton::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  const int room = style()->subElementRect(QStyle::SE_PushButtonContents, &option, this).width();
  option.text = fontMetrics().elidedText(text(), Qt::ElideRight, room, Qt::TextShowMnemonic);
  painter.drawControl(QStyle::CE_PushButton, option);
}

// A radio button's own policy would not let it be narrower than its text.
ElidedRadioButton::ElidedRadioButton(const QString& text) : QRadioButton(text) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize ElidedRadioButton::minimumSizeHint() const { return leastSize(*this); }

void ElidedRadioButton::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  const int room = style()->subElementRect(QStyle::SE_RadioButtonContents, &option, this).width();
  option.text = fontMetrics().elidedText(text(), Qt::ElideRight, room, Qt::TextShowMnemonic);
  painter.drawControl(QStyle::CE_RadioButton, option);
}

}  // namespace thallo::gui
