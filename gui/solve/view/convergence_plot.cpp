#include "gui/solve/view/convergence_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/widgets/qcp.h"

namespace thallo::gui {
namespace {

constexpr int MostSolves = 6;  // side by side

// All solves or, if there are more than that, some of them, with the first and the last.
std::vector<int> shownSolves(int count) {
  std::vector<int> solves;
  const int shown = std::min(count, MostSolves);
  for (int i = 0; i < shown; ++i)
    solves.push_back(count <= MostSolves ? i : i * (count - 1) / (shown - 1));
  return solves;
}

}  // namespace

QColor runColor(const SolveRun& run) {
  constexpr std::array Inks = {Ink::Intermediate, Ink::Product, Ink::Residual,
                               Ink::Cut,          Ink::Unknown, Ink::Sum};
  return ink(Inks[static_cast<std::size_t>(run.number - 1) % Inks.size()]);
}

ConvergencePlot::ConvergencePlot() : Plot("convergencePlot", tr("Cost of each iteration")) {
  setMinimumHeight(220);
  rebuild();
}

void ConvergencePlot::show(std::shared_ptr<const SolveSnapshot> runs) {
  if (runs == m_runs) return;
  m_runs = std::move(runs);
  rebuild();
}

void ConvergencePlot::setOverTime(bool isOverTime) {
  m_isOverTime = isOverTime;
  rebuild();
}

void ConvergencePlot::setQuantity(Quantity quantity) {
  m_quantity = quantity;
  rebuild();
}

double ConvergencePlot::valueOf(double cost, int solve) const {
  if (m_quantity == Quantity::Cost) return cost;
  const auto lowest = m_lowest.find(solve);
  return lowest == m_lowest.end() ? cost : std::max(cost - lowest->second, m_floor);
}

void ConvergencePlot::addRun(QCPAxisRect& rect, const SolveRun& run, int solve) {
  const bool isNewest = run.number == m_runs->runs.back().number;
  const QColor color = runColor(run);
  QVector<double> x, y, rejectedX, rejectedY;
  for (const ConvergencePoint& point : run.points) {
    if (point.solve != solve || !std::isfinite(point.cost)) continue;
    const double value = valueOf(point.cost, solve);
    if (!(value > 0)) continue;  // has no place on a logarithmic axis
    const double at = m_isOverTime ? point.seconds * 1e3 : point.iteration;
    (point.isAccepted ? x : rejectedX).append(at);
    (point.isAccepted ? y : rejectedY).append(value);
  }
  QCPAxis* const across = rect.axis(QCPAxis::atBottom);
  QCPAxis* const up = rect.axis(QCPAxis::atLeft);
  QCPGraph* line = canvas().addGraph(across, up);
  line->setData(x, y, true);
  line->setPen(QPen(color, isNewest ? 2.5 : 1.5));
  line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, isNewest ? 6 : 4));
  line->setName(tr("%1  %2").arg(run.number).arg(run.shownName()));
  if (solve != m_solves.front()) line->removeFromLegend();
  if (rejectedX.isEmpty()) return;
  QCPGraph* rejected = canvas().addGraph(across, up);
  rejected->setData(rejectedX, rejectedY);
  rejected->setLineStyle(QCPGraph::lsNone);
  rejected->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, color, 6));
  rejected->removeFromLegend();
}

void ConvergencePlot::styleAxes(QCPAxisRect& rect, int solve) {
  style(rect);
  QCPAxis* const across = rect.axis(QCPAxis::atBottom);
  QCPAxis* const up = rect.axis(QCPAxis::atLeft);
  const QString unit = m_isOverTime ? tr("milliseconds") : tr("nonlinear iteration");
  across->setLabel(m_solves.size() > 1 ? tr("solve %1").arg(solve + 1) : unit);
  if (!m_isOverTime) {
    // Iterations are whole numbers.
    const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
    whole->setTickStep(1);
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    across->setTicker(whole);
  }
  const bool isFirst = solve == m_solves.front();
  if (isFirst) {
    up->setLabel(m_quantity == Quantity::Cost ? tr("cost") : tr("cost above the lowest known"));
  }
  up->setTickLabels(isFirst);
  up->setScaleType(QCPAxis::stLogarithmic);
  up->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
  up->setNumberFormat("gb");
  up->setNumberPrecision(2);
}

void ConvergencePlot::addSolve(QCPAxisRect& rect, int solve) {
  styleAxes(rect, solve);
  for (const SolveRun& run : m_runs->runs)
    if (!run.isHidden) addRun(rect, run, solve);
  QCPAxis* const across = rect.axis(QCPAxis::atBottom);
  across->rescale();
  across->setRange(across->range().lower, across->range().upper * 1.03 + 1e-9);
}

// All solves have the same costs at the same height.
void ConvergencePlot::setCosts() {
  QCPRange costs;
  bool isAny = false;
  for (QCPAxisRect* rect : canvas().axisRects()) {
    for (const QCPGraph* graph : rect->graphs()) {
      bool isFound = false;
      const QCPRange range = graph->getValueRange(isFound, QCP::sdPositive);
      if (!isFound) continue;
      if (isAny)
        costs.expand(range);
      else
        costs = range;
      isAny = true;
    }
  }
  if (!isAny) return;
  // Shows at least a decade, so that a cost that hardly falls does not appear to fall.
  const double middle = std::sqrt(costs.lower * costs.upper);
  for (QCPAxisRect* rect : canvas().axisRects()) {
    rect->axis(QCPAxis::atLeft)
        ->setRange(std::min(costs.lower / 1.15, middle / 1.8),
                   std::max(costs.upper * 1.15, middle * 1.8));
  }
}

void ConvergencePlot::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearGraphs();
  plot.plotLayout()->clear();
  int count = 0;
  bool hasSeveral = false;
  m_lowest.clear();
  m_floor = 0;
  if (m_runs != nullptr) {
    m_lowest = lowestCosts(*m_runs);
    hasSeveral = m_runs->runs.size() > 1;
    double nearest = std::numeric_limits<double>::infinity();
    for (const SolveRun& run : m_runs->runs) {
      if (run.isHidden) continue;
      count = std::max(count, run.numSolves());
      for (const ConvergencePoint& point : run.points) {
        const double above = point.cost - m_lowest[point.solve];
        if (above > 0) nearest = std::min(nearest, above);
      }
    }
    if (std::isfinite(nearest)) m_floor = nearest / 3;
  }
  m_solves = shownSolves(std::max(count, 1));
  auto* legend = new QCPLegend;
  plot.legend = legend;
  for (std::size_t i = 0; i < m_solves.size(); ++i) {
    auto* rect = new QCPAxisRect(&plot);
    plot.plotLayout()->addElement(0, static_cast<int>(i), rect);
    if (i == 0) {
      rect->insetLayout()->addElement(legend, Qt::AlignRight | Qt::AlignTop);
      legend->setLayer(QStringLiteral("legend"));
    }
    if (m_runs != nullptr) addSolve(*rect, m_solves[i]);
  }
  legend->setVisible(hasSeveral);
  legend->setBrush(ink(Ink::Raised));
  legend->setBorderPen(QPen(ink(Ink::Frame)));
  legend->setTextColor(ink(Ink::Text));
  setCosts();
  plot.replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace thallo::gui
