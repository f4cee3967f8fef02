#include "gui/app/tour.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSettings>

#include "gui/app/main_window.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int BubbleWidth = 340, PointerSize = 10;
constexpr const char* SeenKey = "tourSeen";

struct Hint {
  const char* page;    // empty: it is beside every page
  const char* widget;  // its object name
  const char* title;
  const char* text;
};
constexpr std::array Hints = {
    Hint{"", "movesPanel", QT_TR_NOOP("What to do next"),
         QT_TR_NOOP("The decisions that save most, the best first. Point at one to see in the time "
                    "strip where it leads; a click or Enter takes it, Ctrl+Z takes it back.")},
    Hint{"", "measureThis", QT_TR_NOOP("Measure it"),
         QT_TR_NOOP("Times are estimated until they are measured: hatched or hollow is estimated, "
                    "filled is measured. Ctrl+M compiles this schedule and measures it here.")},
    Hint{"graph", "graphView", QT_TR_NOOP("The cut"),
         QT_TR_NOOP("Left of the line things are computed once, right of it again in every linear "
                    "iteration. The slabs below a node store what it computes, and move the "
                    "line: point at one to see its cost.")},
    Hint{"schedule", "compareWith", QT_TR_NOOP("Why is it faster?"),
         QT_TR_NOOP("Compare with another schedule: a waterfall says how much of the difference "
                    "each cause makes, such as bytes, atomics, launches, and why.")},
    Hint{"space", "exploreButton", QT_TR_NOOP("What else there is"),
         QT_TR_NOOP("Measures many schedules of this problem. The plots show how far the fastest "
                    "are from yours, and which decisions matter; a click at one takes it.")}};

// Marks the widget that a hint is about.
class TourOutline final : public QWidget {
 public:
  explicit TourOutline(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink(Ink::Cut), 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6);
  }
};

}  // namespace

Tour::Tour(Workspace& workspace, MainWindow& window)
    : QFrame(&window),
      m_workspace(workspace),
      m_window(window),
      m_outline(new TourOutline(&window)),
      m_title(named(titleLabel(), "tourTitle")),
      m_text(named(wrappedLabel(), "tourText")),
      m_count(mutedLabel()),
      m_back(named(new QPushButton(tr("Bac&k")), "tourBack")),
      m_next(named(new QPushButton, "tourNext")),
      m_end(named(new QPushButton(tr("&Dismiss")), "tourEnd")) {
  named(this, "tour", tr("Tour"));
  m_end->setToolTip(tr("Ends the tour; F1 starts it again (Esc)"));
  connect(m_back, &QPushButton::clicked, this, [this] { step(-1); });
  connect(m_next, &QPushButton::clicked, this, [this] { step(1); });
  connect(m_end, &QPushButton::clicked, this, &Tour::end);
  for (QPushButton* button : {m_back, m_next, m_end}) button->installEventFilter(this);
  auto* buttons = makeRow({m_count, Cell::gap(), m_end, m_back, m_next});
  constexpr int Margin = 14 + PointerSize;
  setLayout(makeColumn({m_title, m_text, buttons}, {Margin, Margin, Margin, Margin}));
  setFixedWidth(BubbleWidth + 2 * PointerSize);
  window.installEventFilter(this);
  connect(&workspace.schedule(), &ScheduleModel::sitesChanged, this, &Tour::startWanted);
  hide();
}

int Tour::count() { return static_cast<int>(Hints.size()); }

void Tour::start(int hint) {
  if (!isVisible()) m_before = QApplication::focusWidget();
  m_current = std::clamp(hint, 0, count() - 1);
  const Hint& its = Hints.at(static_cast<std::size_t>(m_current));
  if (*its.page != '\0') m_window.showPage(its.page);
  // Otherwise, what is selected is described in place of the moves.
  m_workspace.selection().clear();
  if (m_target) m_target->removeEventFilter(this);
  QWidget* home = *its.page == '\0' ? static_cast<QWidget*>(&m_window) : &m_window.currentPage();
  m_target = home->findChild<QWidget*>(its.widget);
  if (m_target) m_target->installEventFilter(this);
  m_title->setText(tr(its.title));
  m_text->setText(tr(its.text));
  setAccessibleDescription(m_title->text() + ". " + m_text->text());
  m_next->setAccessibleDescription(accessibleDescription());
  m_count->setText(tr("%1 of %2").arg(m_current + 1).arg(count()));
  m_back->setEnabled(m_current > 0);
  m_next->setText(m_current + 1 < count() ? tr("&Next") : tr("&Finish"));
  QSettings().setValue(SeenKey, true);
  show();
  place();
  m_next->setFocus();
}

void Tour::startWhenOpen(int hint) {
  m_wanted = hint;
  startWanted();
}

void Tour::startWanted() {
  if (m_wanted && m_workspace.schedule().sites().isReady()) start(*std::exchange(m_wanted, {}));
}

void Tour::startOnce() {
  if (!QSettings().value(SeenKey).toBool()) startWhenOpen();
}

void Tour::step(int by) {
  const int next = m_current + by;
  if (next >= count()) return end();
  start(next);
}

void Tour::end() {
  hide();
  m_outline->hide();
  if (m_before) m_before->setFocus();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  const bool moves = event->type() == QEvent::Resize || event->type() == QEvent::Move ||
                     event->type() == QEvent::Show || event->type() == QEvent::Hide;
  if (moves && isVisible() && (watched == &m_window || watched == m_target)) place();
  if (event->type() == QEvent::KeyPress && watched->parent() == this) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Return ||
        key == Qt::Key_Enter) {
      keyPressEvent(static_cast<QKeyEvent*>(event));
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

void Tour::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape: return end();
    case Qt::Key_Left: return step(m_current > 0 ? -1 : 0);
    case Qt::Key_Right: return step(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (auto* button = qobject_cast<QPushButton*>(QApplication::focusWidget())) button->click();
      return;
    default: QFrame::keyPressEvent(event);
  }
}

// Beside the widget, where there is most room, and inside of the window in any case.
void Tour::place() {
  setFixedHeight(layout()->heightForWidth(width()));
  const QRect all = m_window.rect();
  const bool isThere = m_target && m_target->isVisible();
  m_outline->setVisible(isThere);
  if (!isThere) {
    m_tip = {};
    move(all.center() - rect().center());
    return raise();
  }
  const QRect its(m_target->mapTo(&m_window, QPoint()), m_target->size());
  m_outline->setGeometry(its.adjusted(-3, -3, 3, 3).intersected(all));
  const int below = all.bottom() - its.bottom(), above = its.top();
  const int left = its.left(), right = all.right() - its.right();
  QPoint at, tip;
  if (std::max(below, above) >= height()) {
    const bool isBelow = below >= height();
    at = {its.center().x() - width() / 2, isBelow ? its.bottom() : its.top() - height()};
    tip = {its.center().x(), isBelow ? its.bottom() + 1 : its.top() - 1};
  } else if (std::max(left, right) >= width()) {
    at = {left >= right ? its.left() - width() : its.right(), its.top() + 24};
    tip = {left >= right ? its.left() - 1 : its.right() + 1, at.y() + 32};
  } else {  // the widget fills the window: in its lower right corner
    at = its.bottomRight() - QPoint(width() + 12, height() + 12);
    tip = {};
  }
  move(std::clamp(at.x(), 0, std::max(0, all.width() - width())),
       std::clamp(at.y(), 0, std::max(0, all.height() - height())));
  m_tip = tip.isNull() ? QPoint() : tip - pos();
  m_outline->raise();
  raise();
  update();
}

void Tour::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box = QRectF(rect()).adjusted(PointerSize, PointerSize, -PointerSize, -PointerSize);
  QPainterPath bubble;
  bubble.addRoundedRect(box, 8, 8);
  if (!m_tip.isNull()) {
    const QPointF tip(std::clamp<double>(m_tip.x(), 1, width() - 1),
                      std::clamp<double>(m_tip.y(), 1, height() - 1));
    const QPointF foot(std::clamp(tip.x(), box.left() + 20, box.right() - 20),
                       std::clamp(tip.y(), box.top() + 20, box.bottom() - 20));
    const bool isBeside = tip.x() < box.left() || tip.x() > box.right();
    const QPointF across = isBeside ? QPointF(0, PointerSize) : QPointF(PointerSize, 0);
    QPainterPath pointer;
    pointer.addPolygon(QPolygonF({foot - across, tip, foot + across}));
    pointer.closeSubpath();
    bubble = bubble.united(pointer);
  }
  setInks(painter, QPen(ink(Ink::Cut), 1.5), ink(Ink::Raised));
  painter.drawPath(bubble);
}

}  // namespace thallo::gui
