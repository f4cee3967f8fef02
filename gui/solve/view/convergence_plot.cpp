#include "gui/solve/view/convergence_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/widgets/qcp.h"

namespace thallo::gui {

QColor runColor(const SolveRun& run) {
  constexpr std::array Inks = {Ink::Intermediate, Ink::Product, Ink::Residual,
                               Ink::Cut,          Ink::Unknown, Ink::Sum};
  return ink(Inks[static_cast<std::size_t>(run.number - 1) % Inks.size()]);
}

ConvergencePlot::ConvergencePlot(QWidget* parent) : Plot(parent) {
  setObjectName("convergencePlot");
  setAccessibleName(tr("Cost of each iteration"));
  setMinimumHeight(220);
}

void ConvergencePlot::show(std::shared_ptr<const SolveSnapshot> runs) {
  m_runs = std::move(runs);
  rebuild();
}

void ConvergencePlot::setOverTime(bool isOverTime) {
  m_isOverTime = isOverTime;
  rebuild();
}

void ConvergencePlot::addRun(const SolveRun& run, const QColor& color, bool isNewest) {
  QVector<double> x, y, rejectedX, rejectedY;
  int solve = 0;
  for (const ConvergencePoint& point : run.points) {
    if (point.solve != solve && !x.isEmpty()) {
      // A gap in the line separates one solve from the next.
      x.append(x.back());
      y.append(std::numeric_limits<double>::quiet_NaN());
    }
    solve = point.solve;
    if (!std::isfinite(point.cost) || point.cost <= 0) continue;
    const double at = m_isOverTime ? point.seconds * 1e3 : point.iteration;
    (point.isAccepted ? x : rejectedX).append(at);
    (point.isAccepted ? y : rejectedY).append(point.cost);
  }
  QCPGraph* line = canvas().addGraph();
  // The points are sorted; sorting again could move a gap before the point that it follows.
  line->setData(x, y, true);
  line->setPen(QPen(color, isNewest ? 2.5 : 1.5));
  line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, isNewest ? 6 : 4));
  line->setName(tr("%1  %2").arg(run.number).arg(run.schedule));
  if (rejectedX.isEmpty()) return;
  QCPGraph* rejected = canvas().addGraph();
  rejected->setData(rejectedX, rejectedY);
  rejected->setLineStyle(QCPGraph::lsNone);
  rejected->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, color, 6));
  rejected->removeFromLegend();
}

void ConvergencePlot::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearGraphs();
  style(*plot.axisRect());
  plot.xAxis->setLabel(m_isOverTime ? tr("milliseconds of iterations") : tr("nonlinear iteration"));
  if (!m_isOverTime) {
    // Iterations are whole numbers.
    const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
    whole->setTickStep(1);
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot.xAxis->setTicker(whole);
  } else {
    plot.xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
  }
  plot.yAxis->setLabel(tr("cost"));
  plot.yAxis->setScaleType(QCPAxis::stLogarithmic);
  plot.yAxis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
  plot.yAxis->setNumberFormat("gb");
  plot.yAxis->setNumberPrecision(2);
  plot.legend->setVisible(m_runs != nullptr && m_runs->runs.size() > 1);
  plot.legend->setBrush(ink(Ink::Raised));
  plot.legend->setBorderPen(QPen(ink(Ink::Frame)));
  plot.legend->setTextColor(ink(Ink::Text));
  if (m_runs != nullptr) {
    for (const SolveRun& run : m_runs->runs)
      addRun(run, runColor(run), run.number == m_runs->runs.back().number);
  }
  plot.rescaleAxes();
  const QCPRange costs = plot.yAxis->range();
  // Shows at least a decade, so that a cost that hardly falls does not appear to fall.
  const double middle = std::sqrt(costs.lower * costs.upper);
  plot.yAxis->setRange(std::min(costs.lower / 1.15, middle / 1.8),
                       std::max(costs.upper * 1.15, middle * 1.8));
  plot.xAxis->setRange(plot.xAxis->range().lower, plot.xAxis->range().upper * 1.03 + 1e-9);
  plot.replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace thallo::gui
