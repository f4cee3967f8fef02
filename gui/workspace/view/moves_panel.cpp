#include "gui/workspace/view/moves_panel.h"

#include <algorithm>
#include <utility>

#include <QEnterEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int Margin = 6;
constexpr int MoveDotSize = 8;

}  // namespace

void MoveRow::show(const GuideModel::Move& move) {
  m_gain = gainText({.share = move.gain.share});
  m_isMeasured = move.isMeasured();
  QStringList split = {move.split};
  if (move.gain.changesNumerics) split.prepend(tr("changes numerics"));
  split.removeAll(QString());
  m_split = split.join(QStringLiteral(", "));
  setText(move.text);
  const QString known = m_isMeasured ? tr("measured") : tr("estimated");
  setAccessibleName(QStringList{move.text, gainText(move.gain), known, move.split}.join(", "));
  QStringList tip = {move.text, move.split, move.tip};
  tip.removeAll(QString());
  setToolTip(tip.join('\n'));
  updateGeometry();
  update();
}

QSize MoveRow::sizeHint() const { return {160, 2 * fontMetrics().height() + 2 * Margin}; }

QSize MoveRow::minimumSizeHint() const { return {60, sizeHint().height()}; }

void MoveRow::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (m_isUnderPointer || hasFocus() || isDown()) {
    painter.setPen(hasFocus() ? QPen(palette().color(QPalette::Highlight), 1.5) : Qt::NoPen);
    painter.setBrush(ink(Ink::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
  }
  const int line = fontMetrics().height();
  const QRect all = rect().adjusted(Margin, Margin, -Margin, -Margin);
  const QRect first(all.left(), all.top(), all.width(), line);
  const QRect second = first.translated(0, line);
  painter.setPen(ink(isEnabled() ? Ink::Text : Ink::Muted));
  painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text(), Qt::ElideMiddle, first.width()));
  const QColor good = ink(isEnabled() ? Ink::Good : Ink::Muted);
  painter.setPen(QPen(good, 1.5));
  painter.setBrush(m_isMeasured ? QBrush(good) : QBrush(Qt::NoBrush));
  painter.drawEllipse(QRectF(second.left() + 1, second.center().y() - 0.5 * MoveDotSize + 1,
                             MoveDotSize, MoveDotSize));
  const QRect words = second.adjusted(MoveDotSize + 8, 0, 0, 0);
  painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, m_gain);
  painter.setPen(ink(Ink::Muted));
  const int gain = fontMetrics().horizontalAdvance(m_gain) + 12;
  const QRect rest = words.adjusted(gain, 0, 0, 0);
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(m_split, Qt::ElideRight, rest.width()));
}

void MoveRow::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      m_isByKeys = true;
      if (!event->isAutoRepeat()) click();
      return;
    case Qt::Key_Up: focusNextPrevChild(false); return;
    case Qt::Key_Down: focusNextPrevChild(true); return;
    default: QPushButton::keyPressEvent(event);
  }
}

void MoveRow::mousePressEvent(QMouseEvent* event) {
  m_isByKeys = false;
  QPushButton::mousePressEvent(event);
}

void MoveRow::enterEvent(QEnterEvent* event) {
  QPushButton::enterEvent(event);
  m_isUnderPointer = true;
  Q_EMIT regardedChanged();
}

void MoveRow::leaveEvent(QEvent* event) {
  QPushButton::leaveEvent(event);
  m_isUnderPointer = false;
  Q_EMIT regardedChanged();
}

void MoveRow::focusInEvent(QFocusEvent* event) {
  QPushButton::focusInEvent(event);
  m_isByKeys = event->reason() != Qt::MouseFocusReason;
  Q_EMIT regardedChanged();
}

void MoveRow::focusOutEvent(QFocusEvent* event) {
  QPushButton::focusOutEvent(event);
  Q_EMIT regardedChanged();
}

MovesPanel::MovesPanel(GuideModel& guide, QWidget* parent)
    : QWidget(parent),
      m_guide(guide),
      m_title(titleLabel()),
      m_note(named(mutedNote(), "movesNote")) {
  setObjectName("movesPanel");
  setAccessibleName(tr("Next best moves"));
  setFocusPolicy(Qt::ClickFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(m_title);
  for (std::size_t i = 0; i < GuideModel::MostShown; ++i) {
    auto* row = named(new MoveRow, QStringLiteral("move%1").arg(i),
                      tr("Move %1, not known yet").arg(i + 1));
    connect(row, &QPushButton::clicked, this, [this, i] {
      // While the list is computed anew, nobody knows yet what stands there.
      if (m_guide.isFollowing() || !m_guide.isWeighed() || i >= m_guide.moves().size()) return;
      m_isTaken = true;
      m_isTakenByKeys = m_rows[i]->hasKeys();
      m_guide.take(GuideModel::Move(m_guide.moves()[i]));
    });
    connect(row, &MoveRow::regardedChanged, this, &MovesPanel::refreshPreview);
    layout->addWidget(row);
    m_rows.push_back(row);
  }
  m_follow = named(new QPushButton, "followMoves");
  connect(m_follow, &QPushButton::clicked, this,
          [this] { m_guide.isFollowing() ? m_guide.stop() : m_guide.follow(); });
  layout->addWidget(m_follow);
  layout->addWidget(m_note);
  connect(&guide, &GuideModel::changed, this, &MovesPanel::refresh);
  refresh();
}

void MovesPanel::refresh() {
  const bool isFollowing = m_guide.isFollowing();
  m_follow->setText(isFollowing ? tr("Stop") : tr("Until nothing helps"));
  m_follow->setToolTip(isFollowing
                           ? tr("Keep the schedule as it is now")
                           : tr("Take the best move, then the best from there, and so on. Moves "
                                "that change numerics are left out; each step can be undone"));
  // What is there stays until the next moves are known, so that nothing jumps.
  if (!m_guide.isComing()) showMoves();
  refreshPreview();
}

void MovesPanel::showMoves() {
  const std::size_t num = std::min(m_guide.moves().size(), m_rows.size());
  const bool hadKeys = std::ranges::any_of(m_rows, &QWidget::hasFocus);
  m_title->setText(m_guide.isWeighed() ? tr("Next best moves") : tr("Nothing is selected"));
  QStringList notes;
  if (m_guide.isWeighed() && num == 0)
    notes << tr("No decision is known to be faster, and no two are together.");
  if (m_guide.isWeighed() && m_guide.leftOut() > 0)
    notes << tr("%n choice(s) or merge(s) have no times here, because there are too many.", nullptr,
                static_cast<int>(m_guide.leftOut()));
  m_note->setText(notes.join(' '));
  m_note->setVisible(!m_note->text().isEmpty());
  m_follow->setVisible(num > 0 || m_guide.isFollowing());
  for (std::size_t i = 0; i < num; ++i) {
    m_rows[i]->show(m_guide.moves()[i]);
    m_rows[i]->setVisible(true);
  }
  // Before rows are hidden, or the keys would go to something else.
  if (hadKeys && num == 0) setFocus();
  if (hadKeys && num > 0 && std::exchange(m_isTaken, false))
    m_rows.front()->setFocus(m_isTakenByKeys ? Qt::TabFocusReason : Qt::MouseFocusReason);
  for (std::size_t i = num; i < m_rows.size(); ++i) m_rows[i]->setVisible(false);
}

void MovesPanel::refreshPreview() {
  auto regarded = std::ranges::find_if(m_rows, &MoveRow::isUnderPointer);
  if (regarded == m_rows.end()) regarded = std::ranges::find_if(m_rows, &MoveRow::hasKeys);
  const auto i = static_cast<std::size_t>(regarded - m_rows.begin());
  if (i < m_guide.moves().size() && i < m_rows.size() && !m_guide.isFollowing())
    m_guide.preview(m_guide.moves()[i]);
  else
    m_guide.endPreview();
}

}  // namespace thallo::gui
