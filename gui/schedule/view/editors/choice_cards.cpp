// Shows the choices of a site side by side as cards with their times. The arrow keys move from card
// to card; the space bar or the return key takes one.
#include <algorithm>
#include <vector>

#include <QAbstractButton>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>

#include "gui/schedule/view/editors/site_editor.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/notation.h"

namespace thallo::gui {
namespace {

constexpr int CardSpacing = 8;
constexpr int ChoicePadding = 10;
constexpr int LockSize = 10;
constexpr int NumLines = 4;  // time, its change in percent and in seconds, memory; and numerics

QFont labelFont(const QString& label) {
  QFont font = titleFont();
  if (isNotation(label)) font.setPointSizeF(font.pointSizeF() * 1.1);
  return font;
}

// Draws into the corner: filled for a measured time, hollow for one that is not.
void paintTimeMark(QPainter& painter, QPointF corner, bool isMeasured) {
  constexpr double Size = 7, Inset = 7;
  setInks(painter, QPen(ink(Ink::Muted), 1.5),
          isMeasured ? QBrush(ink(Ink::Muted)) : QBrush(Qt::NoBrush));
  painter.drawEllipse(QRectF(corner + QPointF(Inset, Inset), QSizeF(Size, Size)));
}

// Draws a closed lock into the corner of an illegal choice.
void paintLock(QPainter& painter, QPointF at) {
  setInks(painter, QPen(ink(Ink::Muted), 1.4), Qt::NoBrush);
  painter.drawArc(QRectF(at.x() + 2, at.y(), LockSize - 4, LockSize), 0, 180 * 16);
  painter.setBrush(ink(Ink::Muted));
  painter.drawRoundedRect(QRectF(at.x(), at.y() + LockSize / 2.0, LockSize, LockSize * 0.7), 1.5,
                          1.5);
}

class ChoiceCard final : public QAbstractButton {
 public:
  explicit ChoiceCard(QWidget* parent) : QAbstractButton(parent) {
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
  }

  void setChoice(const SiteRow& site, std::size_t choice) {
    const ChoiceRow& row = site.choices[choice];
    setText(row.label);
    setChecked(choice == site.chosen);
    m_words = costWords(site, choice);
    m_isLegal = row.illegal.isEmpty();
    m_isRepeated = row.isRepeated;
    m_numLines = NumLines + std::ranges::any_of(site.choices, &ChoiceRow::changesNumerics);
    setObjectName("card " + row.label);
    setToolTip(choiceTip(site, choice));
    setAccessibleName(row.label);
    setAccessibleDescription(m_isLegal ? m_words.sentence() : toolTip());
    updateGeometry();
    update();
  }

  QSize sizeHint() const override {
    const QFont own = labelFont(text());
    const QSizeF label = isNotation(text()) ? notationSize(text(), own)
                                            : QFontMetricsF(own).size(0, text()) + QSizeF(10, 14);
    const int line = fontMetrics().height();
    const int change = std::max(fontMetrics().horizontalAdvance(QStringLiteral("same program")),
                                fontMetrics().horizontalAdvance(m_words.numerics));
    return {std::max(static_cast<int>(label.width()), change) + ChoicePadding,
            static_cast<int>(label.height()) + m_numLines * line + 2 * ChoicePadding + 4};
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isHot = m_isLegal && (underMouse() || hasFocus());
    const QRectF card = QRectF(rect()).adjusted(1, 1, -1, -1);
    setInks(painter,
            QPen(ink(isChecked() || hasFocus() ? Ink::Accent
                     : isHot                   ? Ink::Muted
                                               : Ink::Frame),
                 isChecked() ? 2 : 1, hasFocus() && !isChecked() ? Qt::DotLine : Qt::SolidLine),
            ink(m_isLegal ? Ink::Raised : Ink::Surface));
    painter.drawRoundedRect(card, 6, 6);
    const int line = fontMetrics().height();
    const QRectF inside =
        card.adjusted(ChoicePadding, ChoicePadding - 1, -ChoicePadding, -ChoicePadding + 1);
    const QRectF label =
        inside.adjusted(-ChoicePadding + 2, 0, ChoicePadding - 2, -m_numLines * line - 2);
    if (isNotation(text())) {
      paintNotation(painter, label, text(), labelFont(text()), m_isLegal);
    } else {
      painter.setFont(labelFont(text()));
      painter.setPen(ink(m_isLegal ? Ink::Text : Ink::Muted));
      painter.drawText(label, Qt::AlignCenter, text());
      painter.setFont(font());
    }
    const auto write = [&](int fromTop, const QString& words, Ink color) {
      const double top = inside.bottom() - (m_numLines - fromTop) * line;
      painter.setPen(ink(color));
      painter.drawText(QRectF(inside.left() - 6, top, inside.width() + 12, line), Qt::AlignCenter,
                       words);
    };
    if (!m_isLegal) {
      paintLock(painter, card.topRight() - QPointF(LockSize + 6, -6));
      return write(1, tr("not legal"), Ink::Muted);
    }
    if (!m_words.time.isEmpty()) paintTimeMark(painter, card.topLeft(), m_words.isMeasured);
    painter.setFont(boldFont(font()));
    write(0, m_words.time, Ink::Text);
    painter.setFont(font());
    if (isChecked()) {
      write(1, tr("chosen"), Ink::Accent);
    } else {
      const Ink color = m_words.direction < 0   ? Ink::Good
                        : m_words.direction > 0 ? Ink::Bad
                                                : Ink::Muted;
      write(1, m_isRepeated ? tr("same program") : m_words.share, color);
      write(2, m_words.saved, color);
    }
    write(3, m_words.bytes, Ink::Muted);
    write(4, m_words.numerics, Ink::Bad);
  }

  void keyPressEvent(QKeyEvent* event) override {
    switch (event->key()) {
      case Qt::Key_Return:
      case Qt::Key_Enter: return click();
      case Qt::Key_Right:
      case Qt::Key_Down: focusNextChild(); return;
      case Qt::Key_Left:
      case Qt::Key_Up: focusPreviousChild(); return;
      default: QAbstractButton::keyPressEvent(event);
    }
  }

  // The schedule decides which card is checked, not the click.
  void nextCheckState() override {}

 private:
  CostWords m_words;
  int m_numLines = 0;
  bool m_isLegal = true, m_isRepeated = false;
};

class ChoiceCards final : public SiteEditor {
 public:
  explicit ChoiceCards(ScheduleModel& schedule)
      : SiteEditor(schedule),
        m_legend(mutedNote(tr("What stands in a slab is stored, with its size: R residuals of the "
                              "part, U unknowns."))) {
    m_legend->setParent(this);
    setObjectName("choiceCards");
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override {
    const int columns = numColumns(width), cards = static_cast<int>(m_cards.size());
    const int rows = (cards + columns - 1) / columns;
    const int legend =
        m_legend->isVisibleTo(this) ? m_legend->heightForWidth(width) + CardSpacing : 0;
    return rows * cardSize().height() + std::max(0, rows - 1) * CardSpacing + legend;
  }

  QSize sizeHint() const override {
    const int width = 3 * (cardSize().width() + CardSpacing);
    return {width, heightForWidth(width)};
  }

 protected:
  void refresh(const SiteTable& /*table*/) override {
    while (m_cards.size() > site().choices.size()) {
      delete m_cards.back();
      m_cards.pop_back();
    }
    while (m_cards.size() < site().choices.size()) {
      auto* card = new ChoiceCard(this);
      connect(card, &QAbstractButton::clicked, this, [this, at = m_cards.size()] { choose(at); });
      m_cards.push_back(card);
      card->show();
    }
    for (std::size_t i = 0; i < m_cards.size(); ++i) m_cards[i]->setChoice(site(), i);
    m_legend->setVisible(std::ranges::any_of(
        site().choices, [](const ChoiceRow& choice) { return isNotation(choice.label); }));
    layOut();
    updateGeometry();
  }

  void resizeEvent(QResizeEvent* /*event*/) override { layOut(); }

 private:
  QSize cardSize() const {
    QSize size(0, 0);
    for (const ChoiceCard* card : m_cards) size = size.expandedTo(card->sizeHint());
    return size;
  }

  int numColumns(int width) const {
    const int cards = std::max(1, static_cast<int>(m_cards.size()));
    const int fit = (width + CardSpacing) / std::max(1, cardSize().width() + CardSpacing);
    return std::clamp(fit, 1, cards);
  }

  void layOut() {
    const int columns = numColumns(width());
    const QSize size = cardSize();
    int bottom = 0;
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
      const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
      m_cards[i]->setGeometry(column * (size.width() + CardSpacing),
                              row * (size.height() + CardSpacing), size.width(), size.height());
      bottom = m_cards[i]->geometry().bottom();
    }
    m_legend->setGeometry(0, bottom + CardSpacing, width(), m_legend->heightForWidth(width()));
  }

  std::vector<ChoiceCard*> m_cards;
  QLabel* m_legend;  // explains what is drawn on the cards
};

}  // namespace

SiteEditor* makeChoiceCards(ScheduleModel& schedule) { return new ChoiceCards(schedule); }

}  // namespace thallo::gui
