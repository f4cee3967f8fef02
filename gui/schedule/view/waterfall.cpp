#include "gui/schedule/view/waterfall.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "gui/base/text.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/cause_looks.h"

namespace thallo::gui {
namespace {

constexpr int WaterfallMargin = 12;
constexpr int WaterfallPadding = 3;
constexpr int CauseWidth = 104;
constexpr int ChangeWidth = 76;
// The bars have this share of the room that names and changes leave.
constexpr double BarsShare = 0.42;
constexpr int LeastBars = 80;

QString signedChange(double seconds) {
  return (seconds < 0 ? QStringLiteral("−") : QStringLiteral("+")) + secondsText(std::abs(seconds));
}

QColor colorOfCause(const ChangeCause* cause) {
  if (cause == nullptr) return ink(Ink::Accent);
  return ink(cause->cause ? inkOf(*cause->cause) : Ink::Muted);
}

}  // namespace

Waterfall::Waterfall(QWidget* parent) : QWidget(parent) {
  setObjectName("waterfall");
  setAccessibleName(tr("Why the times differ"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Waterfall::setComparison(std::shared_ptr<const ScheduleComparison> comparison) {
  m_comparison = std::move(comparison);
  m_lines.clear();
  m_longest = 0;
  const bool hasCauses = m_comparison && !m_comparison->causes.empty();
  setVisible(hasCauses);
  if (!hasCauses) return;
  const auto addTime = [this](const QString& name, double seconds) {
    m_lines.push_back({.name = name,
                       .change = secondsText(seconds),
                       .tip = name + QStringLiteral(": ") + secondsText(seconds),
                       .begin = 0,
                       .end = seconds});
  };
  addTime(m_comparison->other, m_comparison->from);
  double at = m_comparison->from;
  for (const ChangeCause& cause : m_comparison->causes) {
    const QString change = signedChange(cause.seconds);
    QStringList tip = {tr("%1: %2").arg(cause.name, change)};
    tip += cause.steps.isEmpty() ? QStringList{cause.sentence} : cause.steps;
    m_lines.push_back({.name = cause.name,
                       .change = change,
                       .sentence = cause.sentence,
                       .tip = tip.join('\n'),
                       .begin = at,
                       .end = at + cause.seconds,
                       .cause = &cause});
    at += cause.seconds;
  }
  addTime(m_comparison->current, m_comparison->to);
  QStringList all;
  for (const Line& line : m_lines) {
    m_longest = std::max({m_longest, line.begin, line.end});
    all << QStringLiteral("%1 %2 %3").arg(line.name, line.change, line.sentence).trimmed();
  }
  setAccessibleDescription(all.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

int Waterfall::lineHeight() const { return fontMetrics().height() + 2 * WaterfallPadding; }

QSize Waterfall::sizeHint() const {
  return {400, lineCount() * lineHeight() + 2 * WaterfallPadding};
}
QSize Waterfall::minimumSizeHint() const { return {240, sizeHint().height()}; }

QRect Waterfall::areaOf(std::size_t line) const {
  return {WaterfallMargin, WaterfallPadding + static_cast<int>(line) * lineHeight(),
          width() - 2 * WaterfallMargin, lineHeight()};
}

void Waterfall::paintLine(QPainter& painter, std::size_t number) const {
  const Line& line = m_lines[number];
  const QRect area = areaOf(number);
  const bool isTime = line.cause == nullptr;
  const auto words = [&](const QRect& where, const QString& text, int align, Ink color) {
    painter.setPen(ink(color));
    painter.drawText(where, align | Qt::AlignVCenter,
                     fontMetrics().elidedText(text, Qt::ElideRight, where.width()));
  };
  const QRect name(area.left(), area.top(), CauseWidth, area.height());
  const QRect change(name.right() + WaterfallMargin / 2, area.top(), ChangeWidth, area.height());
  const Ink effect = isTime ? Ink::Text : line.end < line.begin ? Ink::Good : Ink::Bad;
  words(name, line.name, Qt::AlignLeft, Ink::Text);
  words(change, line.change, Qt::AlignRight, effect);
  const int left = change.right() + WaterfallMargin;
  const int room = std::max(LeastBars, static_cast<int>((area.right() - left) * BarsShare));
  const double scale = m_longest > 0 ? room / m_longest : 0;
  const double from = left + scale * std::min(line.begin, line.end);
  const double to = left + scale * std::max(line.begin, line.end);
  const QRectF bar(from, area.top() + WaterfallPadding, std::max(1.5, to - from),
                   area.height() - 2 * WaterfallPadding);
  painter.fillRect(bar, colorOfCause(line.cause));
  // A thin line leads to where the next bar begins.
  if (number + 1 < m_lines.size()) {
    const double end = left + scale * line.end;
    painter.setPen(QPen(ink(Ink::Muted), 1, Qt::DotLine));
    painter.drawLine(QPointF(end, bar.bottom()), QPointF(end, bar.bottom() + 2 * WaterfallPadding));
  }
  const QRect sentence(left + room + WaterfallMargin, area.top(),
                       area.right() - left - room - WaterfallMargin, area.height());
  if (sentence.width() > 3 * WaterfallMargin)
    words(sentence, line.sentence, Qt::AlignLeft, Ink::Muted);
}

void Waterfall::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  for (std::size_t line = 0; line < m_lines.size(); ++line) paintLine(painter, line);
}

bool Waterfall::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<const QHelpEvent*>(event);
  for (std::size_t line = 0; line < m_lines.size(); ++line) {
    if (!areaOf(line).contains(help->pos())) continue;
    QToolTip::showText(help->globalPos(), m_lines[line].tip, this);
    return true;
  }
  QToolTip::hideText();
  return true;
}

}  // namespace thallo::gui
