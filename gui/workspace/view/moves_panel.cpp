#include "gui/workspace/view/moves_panel.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int Margin = 6;
constexpr int MoveDotSize = 8;

// A move in two lines: what it does, then what that saves, with a dot that is filled if the gain
// was measured.
class MoveRow final : public QPushButton {
 public:
  // Calls `regarded` when the pointer or the keys come to it, and when they leave.
  explicit MoveRow(std::function<void()> regarded) : m_regarded(std::move(regarded)) {}

  void show(const GuideModel::Move& move) {
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

  QSize sizeHint() const override { return {160, 2 * fontMetrics().height() + 2 * Margin}; }
  QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }
  bool isUnderPointer() const { return m_isUnderPointer; }
  // True if the keys are at the row, and a click did not bring them there.
  bool hasKeys() const { return hasFocus() && m_isByKeys; }

 protected:
  bool event(QEvent* event) override {
    const bool isHandled = QPushButton::event(event);
    switch (event->type()) {
      case QEvent::Enter:
      case QEvent::Leave: m_isUnderPointer = event->type() == QEvent::Enter; break;
      case QEvent::FocusIn:
        m_isByKeys = static_cast<QFocusEvent*>(event)->reason() != Qt::MouseFocusReason;
        break;
      case QEvent::FocusOut: break;
      default: return isHandled;
    }
    m_regarded();
    return isHandled;
  }

  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_isUnderPointer || hasFocus() || isDown()) {
      setInks(painter, hasFocus() ? QPen(palette().color(QPalette::Highlight), 1.5) : Qt::NoPen,
              ink(Ink::Raised));
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
    setInks(painter, QPen(good, 1.5), m_isMeasured ? QBrush(good) : QBrush(Qt::NoBrush));
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

  void keyPressEvent(QKeyEvent* event) override {
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

  void mousePressEvent(QMouseEvent* event) override {
    m_isByKeys = false;
    QPushButton::mousePressEvent(event);
  }

 private:
  std::function<void()> m_regarded;
  QString m_gain, m_split;
  bool m_isMeasured = false, m_isUnderPointer = false, m_isByKeys = false;
};

class MovesPanel final : public QWidget {
 public:
  explicit MovesPanel(GuideModel& guide)
      : m_guide(guide), m_title(titleLabel()), m_note(named(mutedNote(), "movesNote")) {
    named(this, "movesPanel", tr("Next best moves"));
    setFocusPolicy(Qt::ClickFocus);
    setLayout(makeColumn({m_title}, {0, 0, 0, 0}, 2));
    for (std::size_t i = 0; i < GuideModel::MostShown; ++i) {
      auto* row = named(new MoveRow([this] { refreshPreview(); }), QStringLiteral("move%1").arg(i),
                        tr("Move %1, not known yet").arg(i + 1));
      connect(row, &QPushButton::clicked, this, [this, i] {
        // While the list is computed anew, nobody knows yet what stands there.
        if (m_guide.isFollowing() || !m_guide.isWeighed() || i >= m_guide.moves().size()) return;
        m_isTaken = true;
        m_isTakenByKeys = m_rows[i]->hasKeys();
        m_guide.take(GuideModel::Move(m_guide.moves()[i]));
      });
      layout()->addWidget(row);
      m_rows.push_back(row);
    }
    m_follow = named(new QPushButton, "followMoves");
    connect(m_follow, &QPushButton::clicked, this,
            [this] { m_guide.isFollowing() ? m_guide.stop() : m_guide.follow(); });
    layout()->addWidget(m_follow);
    layout()->addWidget(m_note);
    connect(&guide, &GuideModel::changed, this, &MovesPanel::refresh);
    refresh();
  }

 private:
  void refresh() {
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

  void showMoves() {
    const std::size_t num = std::min(m_guide.moves().size(), m_rows.size());
    const bool hadKeys = std::ranges::any_of(m_rows, &QWidget::hasFocus);
    m_title->setText(m_guide.isWeighed() ? tr("Next best moves") : tr("Nothing is selected"));
    QStringList notes;
    if (m_guide.isWeighed() && num == 0)
      notes << tr("No decision is known to be faster, and no two are together.");
    if (m_guide.isWeighed() && m_guide.leftOut() > 0)
      notes << tr("%n choice(s) or merge(s) have no times here, because there are too many.",
                  nullptr, static_cast<int>(m_guide.leftOut()));
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

  void refreshPreview() {
    auto regarded = std::ranges::find_if(m_rows, &MoveRow::isUnderPointer);
    if (regarded == m_rows.end()) regarded = std::ranges::find_if(m_rows, &MoveRow::hasKeys);
    const auto i = static_cast<std::size_t>(regarded - m_rows.begin());
    if (i < m_guide.moves().size() && i < m_rows.size() && !m_guide.isFollowing())
      m_guide.preview(m_guide.moves()[i]);
    else
      m_guide.endPreview();
  }

  GuideModel& m_guide;
  QLabel* m_title;
  QLabel* m_note;
  std::vector<MoveRow*> m_rows;
  QPushButton* m_follow;
  bool m_isTakenByKeys = false;
  bool m_isTaken = false;  // true if a row was pressed, and the moves from there are on their way
};

}  // namespace

QWidget* makeMovesPanel(GuideModel& guide) { return new MovesPanel(guide); }

}  // namespace thallo::gui
