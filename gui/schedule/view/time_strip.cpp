#include "gui/schedule/view/time_strip.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "gui/base/text.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/step_looks.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int Margin = 12;
constexpr int BarHeight = 24;
constexpr int BeforeHeight = 6;
constexpr int SummaryWidth = 256;
constexpr int MinimumLabelWidth = 28;

// Returns the total time that the strip shows.
double lengthOf(const TimeEstimate& time) {
  return time.ofSteps(false) + time.ofSteps(true) + time.besideSteps();
}

QString signedSeconds(double seconds) {
  return seconds < 0 ? QStringLiteral("−") + secondsText(-seconds) : secondsText(seconds);
}

QString summaryOf(const TimeEstimate& time) {
  const QString seconds = secondsText(time.seconds());
  if (std::isinf(time.seconds())) return seconds;
  if (time.kind() == TimeKind::Measured)
    return QObject::tr("%1 measured").arg(spreadText(time.seconds(), time.spread));
  return (time.kind() == TimeKind::Scaled ? QObject::tr("%1 scaled") : QObject::tr("%1 estimated"))
      .arg(seconds);
}

QString noteOf(const TimeEstimate& time) {
  if (std::isinf(time.seconds())) return {};
  if (time.kind() == TimeKind::Scaled) return QObject::tr("estimated, scaled by a measured time");
  if (time.kind() == TimeKind::Estimated) return QObject::tr("predicted of the program");
  if (time.hasMeasuredSteps()) return {};
  const auto isMeasured = [](const TimeSegment& segment) { return segment.measured.has_value(); };
  if (std::ranges::none_of(time.segments, isMeasured))
    return QObject::tr("steps estimated and scaled to it");
  return std::ranges::all_of(time.segments, isMeasured)
             ? QObject::tr("steps measured and scaled to it")
             : QObject::tr("hatched steps estimated and scaled");
}

}  // namespace

TimeStrip::TimeStrip(Workspace& workspace) : m_workspace(workspace) {
  named(this, "timeStrip", tr("Time of a nonlinear iteration"));
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &TimeStrip::refresh);
  connect(&workspace.schedule(), &ScheduleModel::trialChanged, this, &TimeStrip::refresh);
  connect(&workspace.selection(), &SelectionModel::changed, this, [this] { update(); });
  connect(&workspace.links(), &LinkModel::changed, this, [this] { update(); });
  refresh();
}

QSize TimeStrip::sizeHint() const {
  return {600, BarHeight + BeforeHeight + 2 * fontMetrics().height() + 16};
}
QSize TimeStrip::minimumSizeHint() const { return {300, sizeHint().height()}; }

const Trial* TimeStrip::trial() const {
  const Remote<Trial>& trial = m_workspace.schedule().trial();
  return trial.isReady() && trial.value->snapshot ? &*trial.value : nullptr;
}

const TimeEstimate* TimeStrip::shown() const {
  if (const Trial* trial = this->trial()) return &trial->snapshot->time;
  const auto& schedule = m_workspace.schedule().schedule().value;
  return schedule ? &schedule->time : nullptr;
}

const TimeEstimate* TimeStrip::before() const {
  const auto& schedule = m_workspace.schedule().schedule().value;
  return trial() != nullptr ? &schedule->time : m_workspace.schedule().before();
}

std::optional<TimeChange> TimeStrip::shownChange() const {
  if (const Trial* trial = this->trial()) return trial->change;
  return m_workspace.schedule().change();
}

void TimeStrip::refresh() {
  m_bars.clear();
  m_rest = {};
  m_summary = m_once = m_linear = m_change = m_note = {};
  if (shown() != nullptr) {
    const TimeEstimate& time = *shown();
    for (const TimeSegment& segment : time.segments)
      if (segment.seconds() > 0) m_bars.push_back({{}, segment});
    m_rest.seconds = time.besideSteps();
    m_once = tr("once  %1").arg(secondsText(time.ofSteps(false)));
    if (time.linearIterations > 0) {  // direct solvers make none
      m_linear = tr("%1 linear iterations  %2")
                     .arg(countText(time.linearIterations), secondsText(time.ofSteps(true)));
    }
    m_summary = summaryOf(time);
    m_note = trial() != nullptr ? tr("if this was decided") : noteOf(time);
    if (const auto change = shownChange()) {
      m_isFaster = change->to < change->from;
      m_change = changeText(change->from, change->to);
      if (change->kind == TimeKind::Scaled && !m_change.isEmpty()) m_change += tr(", scaled");
    }
  }
  QStringList known = {m_summary, m_note, m_change};
  known.removeAll(QString());
  setAccessibleDescription(known.join(QStringLiteral(", ")));
  layOut();
  update();
}

void TimeStrip::resizeEvent(QResizeEvent* /*event*/) { layOut(); }

void TimeStrip::layOut() {
  const double top = fontMetrics().height() + BeforeHeight + 8;
  m_track = QRectF(Margin, top, std::max(60, width() - SummaryWidth - 2 * Margin), BarHeight);
  double longest = shown() != nullptr ? lengthOf(*shown()) : 0;
  if (const TimeEstimate* before = this->before())
    longest = std::max(longest, lengthOf(*before) * beforeScale());
  m_scale = longest > 0 ? m_track.width() / longest : 0;
  double x = m_track.left();
  m_onceEnd = x;
  for (Bar& bar : m_bars) {
    const double width = bar.segment.seconds() * m_scale;
    bar.area = {x, top, width, BarHeight};
    x += width;
    if (!bar.segment.isLinear) m_onceEnd = x;
  }
  m_rest.area = {x, top, m_rest.seconds * m_scale, BarHeight};
}

double TimeStrip::beforeScale() const {
  const auto change = shownChange();
  const TimeEstimate* before = this->before();
  if (!change || !std::isfinite(change->from) || !(before->seconds() > 0)) return 1;
  return change->from / before->seconds();
}

void TimeStrip::paintBar(QPainter& painter, const Bar& bar) const {
  const Selection& selection = m_workspace.selection().current();
  const bool isSelected =
      selection.kind == Selection::Kind::Step && selection.id == bar.segment.label;
  const QColor color = ink(inkOfStep(bar.segment.label));
  const QRectF area = bar.area.adjusted(0.5, 0.5, -0.5, -0.5);
  fillTime(painter, area, color, bar.segment.measured.has_value());
  const bool isLinked = m_workspace.links().linked().hasStep(bar.segment.label);
  painter.setPen(isSelected ? QPen(ink(Ink::Text), 2)
                 : isLinked ? QPen(ink(Ink::Accent), 2)
                            : QPen(color, 1));
  painter.drawRect(area);
  paintLabel(painter, area, briefLabel(bar.segment.shown));
}

void TimeStrip::paintRest(QPainter& painter) const {
  if (m_rest.area.width() < 1) return;
  const QRectF area = m_rest.area.adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setPen(QPen(ink(Ink::Muted), 1, Qt::DotLine));
  painter.drawRect(area);
  // Each part has a stretch of its own; one that is negative has none.
  double x = m_rest.area.left();
  const TimeEstimate& time = *shown();
  for (const NamedSeconds& part : time.besideParts()) {
    x += std::max(0.0, part.seconds) * m_scale;
    if (x < area.right()) painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  }
  const Selection& selection = m_workspace.selection().current();
  if (selection == besideStepsSelection()) {
    painter.setPen(QPen(ink(Ink::Text), 2));
    painter.drawRect(area);
  }
  paintLabel(painter, area, tr("beside the steps"));
}

void TimeStrip::paintLabel(QPainter& painter, const QRectF& area, const QString& words) const {
  if (area.width() < MinimumLabelWidth) return;
  const QString label =
      fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(area.width()) - 8);
  if (label.size() < 3) return;
  // The label is drawn on the plain surface, not on the hatching.
  const QRectF text = QRectF(area.left() + 3, area.top() + 3,
                             fontMetrics().horizontalAdvance(label) + 4, area.height() - 6);
  painter.fillRect(text, ink(Ink::Surface));
  painter.setPen(ink(Ink::Text));
  painter.drawText(text, Qt::AlignCenter, label);
}

void TimeStrip::paintBefore(QPainter& painter) const {
  const TimeEstimate* before = this->before();
  if (before == nullptr) return;
  double x = m_track.left();
  const double scale = m_scale * beforeScale();
  const auto paint = [&](double seconds, int alpha) {
    const double width = seconds * scale;
    painter.fillRect(
        QRectF(x, m_track.top() - BeforeHeight - 1, std::max(0.0, width - 1), BeforeHeight - 2),
        ink(Ink::Muted, alpha));
    x += width;
  };
  paint(before->ofSteps(false), 120);
  paint(before->ofSteps(true), 120);
  paint(before->besideSteps(), 50);
}

void TimeStrip::paintCaptions(QPainter& painter) const {
  painter.setPen(ink(Ink::Muted));
  const int line = fontMetrics().height();
  const QRectF above(m_track.left(), 2, m_track.width(), line);
  const double onceWidth = fontMetrics().horizontalAdvance(m_once) + 2 * Margin;
  painter.drawText(above, Qt::AlignLeft | Qt::AlignVCenter, m_once);
  const double linearLeft =
      std::min(std::max(m_onceEnd, m_track.left() + onceWidth),
               m_track.right() - fontMetrics().horizontalAdvance(m_linear) - Margin);
  painter.drawText(QRectF(linearLeft, 2, m_track.right() - linearLeft, line),
                   Qt::AlignLeft | Qt::AlignVCenter, m_linear);
  const QRectF summary(m_track.right() + Margin, m_track.top(), SummaryWidth - Margin, line);
  painter.drawText(QRectF(summary.left(), 2, summary.width(), line),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(m_note, Qt::ElideRight, SummaryWidth - Margin));
  painter.setPen(ink(Ink::Text));
  painter.setFont(boldFont(font()));
  painter.drawText(summary, Qt::AlignLeft | Qt::AlignVCenter, m_summary);
  painter.setFont(font());
  painter.setPen(ink(m_isFaster ? Ink::Good : Ink::Bad));
  painter.drawText(summary.translated(0, line + 2), Qt::AlignLeft | Qt::AlignVCenter, m_change);
}

void TimeStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), ink(Ink::Surface));
  if (m_bars.empty()) {
    painter.setPen(ink(Ink::Muted));
    painter.drawText(rect(), Qt::AlignCenter,
                     tr("Open a problem to see where the time of its solver goes."));
    return;
  }
  paintBefore(painter);
  for (const Bar& bar : m_bars) paintBar(painter, bar);
  paintRest(painter);
  paintCaptions(painter);
}

const TimeStrip::Bar* TimeStrip::barAt(QPointF point) const {
  const auto found = std::ranges::find_if(
      m_bars, [point](const Bar& bar) { return bar.area.adjusted(0, -2, 0, 2).contains(point); });
  return found == m_bars.end() ? nullptr : &*found;
}

void TimeStrip::mouseMoveEvent(QMouseEvent* event) {
  const Bar* bar = barAt(event->position());
  if (m_rest.area.contains(event->position())) {
    const TimeEstimate& time = *shown();
    QStringList text = {(time.measured ? tr("%1 of the measured time are not in the steps")
                                       : tr("%1 are estimated beside the steps"))
                            .arg(secondsText(m_rest.seconds))};
    for (const NamedSeconds& part : time.besideParts())
      text << tr("%1  %2").arg(signedSeconds(part.seconds), part.name);
    QToolTip::showText(event->globalPosition().toPoint(), text.join('\n'), this);
    return;
  }
  if (bar == nullptr) {
    QToolTip::hideText();
    return;
  }
  const TimeSegment& segment = bar->segment;
  QString text = segment.shown + '\n';
  if (segment.shown != segment.label) text += segment.label + '\n';
  text += segment.isLinear ? tr("%1 runs of ").arg(countText(segment.runs)) : QString();
  text += segment.measured ? tr("%1 measured, %2 estimated")
                                 .arg(spreadText(*segment.measured, segment.spread),
                                      secondsText(segment.predicted))
                           : tr("%1 predicted").arg(secondsText(segment.predicted));
  if (segment.scale != 1) {
    text += '\n' +
            tr("drawn as %1, scaled to the time of the whole").arg(secondsText(segment.seconds()));
  }
  QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void TimeStrip::mousePressEvent(QMouseEvent* event) {
  if (m_rest.area.contains(event->position()))
    return m_workspace.selection().select(besideStepsSelection());
  const Bar* bar = barAt(event->position());
  if (bar == nullptr) return m_workspace.selection().clear();
  m_workspace.selection().select({Selection::Kind::Step, bar->segment.label});
}

void TimeStrip::leaveEvent(QEvent* /*event*/) { QToolTip::hideText(); }

}  // namespace thallo::gui
