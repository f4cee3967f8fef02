#include "gui/space/view/curve_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QMouseEvent>
#include <QToolTip>

#include "gui/base/text.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/time_ticker.h"

namespace thallo::gui {
namespace {

constexpr int LongestName = 26;  // of a run in the legend, in letters
constexpr int CurvesHeight = 120;
constexpr double WideRange = 2000;
// Named schedules may be a hundred times as slow, and all curves begin with them: the axis of times
// ends at so many times the best known, where slower times stand.
constexpr double LargestShownFactor = 5;

// As many as there are runs at most.
constexpr std::array CurveInks = {Ink::Intermediate, Ink::Unknown, Ink::Residual, Ink::Product,
                                  Ink::Cut,          Ink::Sum,     Ink::Field,    Ink::Text};

// 1, 2, 5, 10 ... on a logarithmic axis; where these have no room, powers of ten.
class CountTicker final : public QCPAxisTicker {
 protected:
  QVector<double> createTickVector(double /*step*/, const QCPRange& range) override {
    const bool isWide = range.upper > WideRange * range.lower;
    QVector<double> ticks;
    for (double decade = 1; decade <= range.upper; decade *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double tick = factor * decade;
        if (range.contains(tick) && (factor == 1 || !isWide)) ticks.append(tick);
      }
    }
    return ticks;
  }
  QVector<double> createSubTickVector(int /*count*/, const QVector<double>& /*ticks*/) override {
    return {};
  }
};

QString shortName(const QString& label) {
  return label.size() <= LongestName ? label : label.left(LongestName - 1) + QStringLiteral("…");
}

}  // namespace

CurvePlot::CurvePlot() : Plot("curvePlot") {
  setMinimumHeight(CurvesHeight);
  setToolTip(
      tr("The best time so far of each search that the store has recorded. Click a step to take "
         "its schedule"));
  QCustomPlot& plot = canvas();
  // Beside the diagram, where the legend covers no curve; its rows stand together at the top.
  auto* beside = new QCPLayoutGrid;
  plot.plotLayout()->addElement(0, 1, beside);
  plot.plotLayout()->setColumnStretchFactor(1, 0.001);
  plot.axisRect()->insetLayout()->take(plot.legend);
  beside->addElement(0, 0, plot.legend);
  beside->addElement(1, 0, new QCPLayoutInset);  // takes the rest of the height
  beside->setRowStretchFactor(0, 0.001);
  connect(&plot, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    const auto place = stepAt(event->position());
    if (event->button() == Qt::LeftButton && place)
      Q_EMIT candidateClicked(toQt(m_space->runs[place->run].curve.schedules[place->step]));
  });
  connect(&plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    const auto place = stepAt(event->position());
    if (!place) return QToolTip::hideText();
    QToolTip::showText(event->globalPosition().toPoint(), toolTipOf(*place), this);
  });
  rebuild();
}

void CurvePlot::show(std::shared_ptr<const SpaceSnapshot> space) {
  if (space == m_space) return;
  m_space = std::move(space);
  rebuild();
}

void CurvePlot::setAxis(Axis axis) {
  if (axis == m_axis) return;
  m_axis = axis;
  rebuild();
}

int CurvePlot::numCurves() const { return m_space ? static_cast<int>(m_space->runs.size()) : 0; }

double CurvePlot::placeOf(const BestPoint& step) const {
  return m_axis == Axis::Schedules ? static_cast<double>(step.measured) : step.at;
}

double CurvePlot::heightOf(const BestPoint& step) const { return std::min(step.best, m_slowest); }

double CurvePlot::endOf(const SearchCurve& run) const {
  const double end =
      m_axis == Axis::Schedules ? static_cast<double>(run.num_measured) : run.seconds;
  return std::max(end, placeOf(run.best.back()));
}

QPointF CurvePlot::positionOf(std::size_t run, std::size_t step) const {
  const BestPoint& its = m_space->runs[run].curve.best[step];
  return {canvas().xAxis->coordToPixel(placeOf(its)), canvas().yAxis->coordToPixel(heightOf(its))};
}

void CurvePlot::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearPlottables();
  style(*plot.axisRect());
  plot.axisRect()->setMinimumMargins(QMargins(8, 8, 12, 4));
  const bool isBySchedules = m_axis == Axis::Schedules;
  plot.xAxis->setScaleType(QCPAxis::stLogarithmic);
  plot.xAxis->setTicker(isBySchedules ? QSharedPointer<QCPAxisTicker>(new CountTicker)
                                      : QSharedPointer<TimeTicker>::create(true, 6));
  plot.xAxis->setNumberFormat("gb");
  plot.xAxis->setNumberPrecision(5);
  plot.xAxis->setLabel(isBySchedules ? tr("schedules measured") : tr("time of the exploration"));
  plot.yAxis->setScaleType(QCPAxis::stLogarithmic);
  plot.yAxis->setTicker(QSharedPointer<TimeTicker>::create(true, 4));
  plot.yAxis->setLabel(tr("best time so far"));
  plot.legend->setVisible(numCurves() > 0);
  plot.legend->setBrush(Qt::NoBrush);
  plot.legend->setBorderPen(Qt::NoPen);
  plot.legend->setTextColor(ink(Ink::Text));
  plot.legend->setFont(plot.xAxis->tickLabelFont());
  plot.legend->setRowSpacing(0);
  QStringList summaries;
  if (numCurves() > 0) {
    setRanges();
    const std::vector<RunCurve>& runs = m_space->runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      addCurve(runs[i], ink(CurveInks[i % CurveInks.size()]), i + 1 == runs.size());
      summaries.append(runs[i].summary());
    }
  }
  setAccessibleName(tr("Best time so far"));
  setAccessibleDescription(summaries.join("; "));
  plot.replot(QCustomPlot::rpQueuedReplot);
}

void CurvePlot::setRanges() {
  const SearchCurve& one = m_space->runs.front().curve;
  double first = placeOf(one.best.front());
  double last = first;
  double least = one.best.front().best;
  double most = least;
  for (const auto& [label, run] : m_space->runs) {
    first = std::min(first, placeOf(run.best.front()));
    last = std::max(last, endOf(run));
    least = std::min(least, run.best.back().best);
    most = std::max(most, run.best.front().best);
  }
  // What takes no time that a clock sees has no logarithm.
  last = std::max(last, m_axis == Axis::Schedules ? 2.0 : 1e-3);
  first = std::max(first, 1e-4 * last);
  const double across = std::pow(last / first, 0.03);
  canvas().xAxis->setRange(first / across, last * across);
  most = std::min(most, LargestShownFactor * least);
  const double margin = std::max(1.03, std::pow(most / least, 0.06));
  canvas().yAxis->setRange(least / margin, most * margin);
  m_slowest = most;
}

void CurvePlot::addCurve(const RunCurve& run, const QColor& color, bool isLatest) {
  const double least = canvas().xAxis->range().lower;
  QVector<double> x, y;
  for (const BestPoint& step : run.curve.best) {
    x.append(std::max(least, placeOf(step)));
    y.append(heightOf(step));
  }
  QCPGraph* steps = canvas().addGraph();
  steps->setName(shortName(run.label));
  steps->setPen(QPen(color, isLatest ? 2.4 : 1.4));
  steps->setLineStyle(QCPGraph::lsStepLeft);
  QVector<double> lineX = x, lineY = y;
  lineX.append(endOf(run.curve));
  lineY.append(y.back());
  steps->setData(lineX, lineY, true);
  QCPGraph* dots = canvas().addGraph();
  dots->removeFromLegend();
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(color), QBrush(color), isLatest ? 7 : 5));
  dots->setData(x, y, true);
}

std::optional<CurvePlot::Place> CurvePlot::stepAt(QPointF position) const {
  constexpr double Reach = 8;
  std::optional<Place> nearest;
  double least = Reach * Reach;
  for (std::size_t run = 0; run < static_cast<std::size_t>(numCurves()); ++run) {
    for (std::size_t step = 0; step < m_space->runs[run].curve.best.size(); ++step) {
      const QPointF off = positionOf(run, step) - position;
      const double distance = QPointF::dotProduct(off, off);
      if (distance > least) continue;
      least = distance;
      nearest = Place{run, step};
    }
  }
  return nearest;
}

QString CurvePlot::toolTipOf(const Place& place) const {
  const auto& [label, run] = m_space->runs[place.run];
  const BestPoint& step = run.best[place.step];
  QString text =
      tr("%1: %2 after %3 schedules, %4")
          .arg(label, secondsText(step.best), countText(step.measured), secondsText(step.at));
  if (!run.figures.empty()) text += '\n' + toQt(figures_text(run.figures));
  return text;
}

}  // namespace thallo::gui
