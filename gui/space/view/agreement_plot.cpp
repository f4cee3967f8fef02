#include "gui/space/view/agreement_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QMouseEvent>
#include <QToolTip>

#include "gui/base/text.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/time_ticker.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostPoints = 6000;

}  // namespace

AgreementPlot::AgreementPlot(QWidget* parent) : Plot(parent) {
  setObjectName("agreementPlot");
  setAccessibleName(tr("Other times against measured ones"));
  setToolTip(
      tr("ρ is Spearman's rank correlation: 1 where the order of the schedules is the same"));
  connect(&canvas(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (const auto candidate = candidateAt(event->position()))
      Q_EMIT candidateClicked(m_space->hash[*candidate]);
  });
  connect(&canvas(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    const auto candidate = candidateAt(event->position());
    if (!candidate) return QToolTip::hideText();
    QToolTip::showText(event->globalPosition().toPoint(),
                       tr("%1 measured, %2 %3")
                           .arg(secondsText(m_space->seconds[*candidate]),
                                secondsText(m_times->seconds[*candidate]), m_label),
                       this);
  });
  rebuild();
}

void AgreementPlot::show(std::shared_ptr<const SpaceSnapshot> space,
                         std::shared_ptr<const TimeColumn> times, const QString& label,
                         const std::vector<bool>& shown, const QString& current) {
  if (space == m_space && times == m_times && label == m_label && shown == m_shown &&
      current == m_current)
    return;
  m_space = std::move(space);
  m_times = std::move(times);
  m_label = label;
  m_shown = shown;
  m_current = current;
  rebuild();
}

void AgreementPlot::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearPlottables();
  plot.clearItems();
  QCPAxisRect& rect = *plot.axisRect();
  style(rect);
  rect.setMinimumMargins(QMargins(8, 8, 12, 4));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<TimeTicker>::create(true, 4));
  }
  plot.xAxis->setLabel(tr("measured"));
  plot.yAxis->setLabel(m_label);
  setPoints({});
  std::vector<Point> shown, others, current;
  if (m_space && m_times) {
    QCPRange measured, other;
    const auto include = [](QCPRange& range, double seconds) {
      range = range.lower > 0 ? range.expanded({seconds, seconds}) : QCPRange(seconds, seconds);
    };
    for (const std::size_t i : thinned(m_space->byTime, MostPoints)) {
      const double x = m_space->seconds[i], y = m_times->seconds[i];
      if (!std::isfinite(y) || y <= 0) continue;
      include(measured, x);
      include(other, y);
      const Point point{&rect, x, y, i};
      (m_space->hash[i] == m_current ? current : m_shown[i] ? shown : others).push_back(point);
    }
    if (measured.lower > 0) {
      // Uses the same range for both axes, unless that would leave most of the diagram empty.
      if (measured.contains(other.lower) || other.contains(measured.lower))
        measured = other = measured.expanded(other);
      for (const auto& [axis, range] : {std::pair(plot.xAxis, measured), {plot.yAxis, other}}) {
        const double margin = std::max(1.05, std::pow(range.upper / range.lower, 0.06));
        axis->setRange(range.lower / margin, range.upper * margin);
      }
      const QCPRange all = plot.xAxis->range().expanded(plot.yAxis->range());
      QCPGraph* equal = plot.addGraph();
      equal->setData({all.lower, all.upper}, {all.lower, all.upper});
      equal->setPen(QPen(ink(Ink::Muted), 1, Qt::DashLine));
      addPoints(rect, others, ink(Ink::Frame), 4);
      addPoints(rect, shown, ink(Ink::Intermediate, 150), 4.5);
      addPoints(rect, current, ink(Ink::Text), 10, true);
      addSummary();
    }
  }
  shown.insert(shown.end(), current.begin(), current.end());
  setPoints(std::move(shown));
  plot.replot(QCustomPlot::rpQueuedReplot);
}

// "ρ 0.87 · median error 13 %"
void AgreementPlot::addSummary() {
  if (!m_times->rho) return;
  const QString rho = significant(*m_times->rho, 2);
  auto* summary = new QCPItemText(&canvas());
  summary->position->setType(QCPItemPosition::ptAxisRectRatio);
  summary->position->setCoords(0, 0);
  summary->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  summary->setText(
      m_times->isPredicted
          ? tr("ρ %1 · median error %2 %").arg(rho, significant(100 * m_times->medianError, 2))
          : tr("ρ %1 · %2 in both").arg(rho, countText(static_cast<double>(m_times->numCompared))));
  summary->setColor(ink(Ink::Muted));
  summary->setPadding(QMargins(6, 2, 6, 2));
}

}  // namespace thallo::gui
