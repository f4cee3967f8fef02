#include "gui/space/view/distribution_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <vector>

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPointF>
#include <QString>
#include <QToolTip>

#include "gui/base/text.h"
#include "gui/space/space_data.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/time_ticker.h"

namespace thallo::gui {
namespace {

// The share of the height for the rug, below the histogram.
constexpr double RugShare = 0.14;
// The height of a lane relative to the histogram, and the gap between the rug and the first lane.
constexpr double LaneShare = 0.42, LaneGap = 0.08;
// In pixels: the height without lanes, and the height that each lane adds.
constexpr int LeastHeight = 150, HeightOfLane = 44;
constexpr std::size_t MostTicks = 4000;
constexpr double DragDistance = 4;

}  // namespace

// Labelled vertical lines in a diagram of times: the best schedule, auto, the median.
class MarkLabels {
 public:
  // Draws on the first axis rectangle of the plot, which owns the items.
  explicit MarkLabels(QCustomPlot& plot) : m_plot(plot) {}

  // Replaces the previous marks, and removes their items and their margin. Lines begin at `bottom`
  // on the vertical axis.
  void show(const std::vector<thallo::Mark>& marks, double bottom) {
    m_marks.clear();
    m_numRows = 1;
    const QFont bold = boldFont(m_plot.font());
    for (MarkLine& line : mark_lines(marks)) {
      const bool isMedian = line.is_median();
      const QColor color = ink(markInk(toQt(line.names.front())));
      Mark mark{.line = std::move(line)};
      mark.item = new QCPItemLine(&m_plot);
      mark.item->setClipToAxisRect(false);
      mark.item->setPen(QPen(color, 1.5, isMedian ? Qt::DashLine : Qt::SolidLine));
      mark.item->start->setCoords(mark.line.seconds, bottom);
      mark.item->end->setTypeY(QCPItemPosition::ptAbsolute);
      m_marks.push_back(std::move(mark));
    }
    // Drawn on top of all lines, so that no line runs through a label.
    for (Mark& mark : m_marks) {
      mark.label = new QCPItemText(&m_plot);
      mark.label->setClipToAxisRect(false);
      mark.label->position->setType(QCPItemPosition::ptAbsolute);
      const QString text = toQt(mark.line.text);
      mark.label->setText(text);
      mark.label->setFont(bold);
      mark.label->setColor(mark.item->pen().color());
      mark.label->setBrush(ink(Ink::Raised));
      mark.label->setPadding(QMargins(3, 0, 3, 0));
      mark.width = QFontMetricsF(bold).horizontalAdvance(text) + 12;
    }
  }

  // Places labels beside their lines so that no label covers another. Must be called once the
  // position of the axes is known. Reserves room above the axes, which makes the plot lay out
  // again.
  void place() {
    QCPAxisRect& rect = *m_plot.axisRect();
    std::vector<plot::LineLabel> labels;
    for (const Mark& mark : m_marks) labels.push_back({xOf(mark.line.seconds), mark.width});
    const std::vector<plot::LabelPlace> places =
        plot::place_labels(labels, rect.left(), rect.right());
    const int height = m_plot.fontMetrics().height() + 1;
    int numRows = 1;
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
      const Mark& mark = m_marks[i];
      numRows = std::max(numRows, places[i].row + 1);
      const double y = rect.top() - height * (places[i].row + 0.5) - 2;
      mark.item->end->setCoords(mark.line.seconds, y - 0.4 * height);
      mark.label->setPositionAlignment((places[i].is_right ? Qt::AlignLeft : Qt::AlignRight) |
                                       Qt::AlignVCenter);
      mark.label->position->setCoords(labels[i].x + (places[i].is_right ? 2 : -2), y);
    }
    if (numRows == m_numRows) return;
    m_numRows = numRows;
    rect.setMinimumMargins(QMargins(8, numRows * height + 4, 12, 4));
    m_plot.replot(QCustomPlot::rpQueuedReplot);
  }

  // Returns the schedule of the mark at this position.
  std::optional<QString> at(QPointF position) const {
    constexpr double Reach = 4;
    for (const Mark& mark : m_marks) {
      const bool isAtLine = std::abs(xOf(mark.line.seconds) - position.x()) <= Reach;
      const double toLabel = mark.label->selectTest(position, false);
      const bool isAtLabel = toLabel >= 0 && toLabel < Reach;
      if ((isAtLine || isAtLabel) && !mark.line.hash.empty()) return toQt(mark.line.hash);
    }
    return std::nullopt;
  }

 private:
  struct Mark {
    MarkLine line;
    QCPItemLine* item = nullptr;
    QCPItemText* label = nullptr;
    double width = 0;
  };
  double xOf(double seconds) const { return m_plot.xAxis->coordToPixel(seconds); }

  QCustomPlot& m_plot;
  std::vector<Mark> m_marks;
  int m_numRows = 1;
};

DistributionPlot::DistributionPlot()
    : Plot("distributionPlot", tr("Distribution of the times of all schedules")),
      m_marks(std::make_unique<MarkLabels>(canvas())) {
  setToolTip(tr(
      "Drag over times to filter everything else on the page; click a line or a tick to take its "
      "schedule"));
  QCustomPlot& plot = canvas();
  connect(&plot, &QCustomPlot::mousePress, this, &DistributionPlot::press);
  connect(&plot, &QCustomPlot::mouseMove, this, &DistributionPlot::drag);
  connect(&plot, &QCustomPlot::mouseRelease, this, &DistributionPlot::release);
  connect(&plot, &QCustomPlot::afterLayout, this, [this] { m_marks->place(); });
  rebuild();
}

DistributionPlot::~DistributionPlot() = default;

void DistributionPlot::show(std::shared_ptr<const SpaceSnapshot> space,
                            const std::vector<SpaceLane>& lanes, const QString& current) {
  if (space == m_space && lanes == m_lanes && current == m_current) return;
  m_space = std::move(space);
  m_lanes = lanes;
  setMinimumHeight(LeastHeight + HeightOfLane * numLanes());
  m_current = current;
  rebuild();
}

void DistributionPlot::setLogarithmic(bool isLog) {
  if (isLog == m_isLog) return;
  m_isLog = isLog;
  rebuild();
}

void DistributionPlot::setBrush(const Range& seconds) {
  if (seconds == m_brush) return;
  m_brush = seconds;
  showBrush();
  canvas().replot(QCustomPlot::rpQueuedReplot);
}

double DistributionPlot::xOf(double seconds) const { return canvas().xAxis->coordToPixel(seconds); }

void DistributionPlot::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearPlottables();
  plot.clearItems();
  m_dots.clear();
  m_brushItem = nullptr;
  setPoints({});
  style(*plot.axisRect());
  plot.axisRect()->setMinimumMargins(QMargins(8, 8, 12, 4));
  plot.xAxis->setScaleType(m_isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  plot.xAxis->setTicker(QSharedPointer<TimeTicker>::create(m_isLog, 9));
  plot.xAxis->setLabel(tr("time of a nonlinear iteration"));
  plot.yAxis->setLabel(tr("schedules"));
  plot.yAxis->setTickLabels(false);
  plot.yAxis->setTicks(false);
  plot.yAxis->grid()->setVisible(false);
  if (m_space && !m_space->byTime.empty()) {
    setRanges();
    addHistogram();
    addDensity();
    addRug();
    addLanes();
    addMarks();
    showBrush();
  } else {
    m_marks->show({}, 0);
  }
  plot.replot(QCustomPlot::rpQueuedReplot);
}

void DistributionPlot::setRanges() {
  double least = m_space->seconds[m_space->byTime.front()];
  double largest = m_space->seconds[m_space->byTime.back()];
  for (const SpaceLane& lane : m_lanes) {
    const std::vector<std::size_t>& order = lane.space->byTime;
    if (order.empty()) continue;
    least = std::min(least, lane.space->seconds[order.front()]);
    largest = std::max(largest, lane.space->seconds[order.back()]);
  }
  QCPAxis& x = *canvas().xAxis;
  if (m_isLog) {
    const double margin = std::max(1.02, std::pow(largest / least, 0.04));
    x.setRange(least / margin, largest * margin);
  } else {
    const double margin = std::max(0.02 * largest, 0.04 * (largest - least));
    x.setRange(std::max(0.0, least - margin), largest + margin);
  }
  const double below = RugShare + (m_lanes.empty() ? 0 : LaneGap + LaneShare * numLanes());
  canvas().yAxis->setRange(-below * highest(), 1.04 * highest());
}

double DistributionPlot::highest() const {
  const Histogram& bins = m_isLog ? m_space->logBins : m_space->linearBins;
  const auto most = std::ranges::max_element(bins.counts);
  return most == bins.counts.end() ? 1 : static_cast<double>(std::max<std::size_t>(1, *most));
}

void DistributionPlot::addHistogram() {
  const Histogram& bins = m_isLog ? m_space->logBins : m_space->linearBins;
  QVector<double> x, y;
  // Draws an outline, because the bins do not have equal widths on all axes.
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    x.append({bins.edges[i], bins.edges[i + 1]});
    const auto count = static_cast<double>(bins.counts[i]);
    y.append({count, count});
  }
  QCPGraph* graph = canvas().addGraph();
  graph->setData(x, y, true);
  setInks(*graph, QPen(ink(Ink::Intermediate), 1), ink(Ink::Intermediate, 70));
}

void DistributionPlot::addDensity() {
  const Density& density = m_space->density;
  const auto count = static_cast<double>(m_space->byTime.size());
  const Histogram& bins = m_isLog ? m_space->logBins : m_space->linearBins;
  if (bins.counts.size() < 2) return;
  // Scales the density to schedules per bin, like the histogram.
  const double logWidth = std::log(bins.edges[1] / bins.edges[0]);
  const double width = bins.edges[1] - bins.edges[0];
  QVector<double> x, y;
  for (std::size_t i = 0; i < density.at.size(); ++i) {
    const double perBin = m_isLog ? logWidth : width / density.at[i];
    x.append(density.at[i]);
    y.append(count * density.density[i] * perBin);
  }
  QCPGraph* graph = canvas().addGraph();
  graph->setData(x, y, true);
  graph->setPen(QPen(ink(Ink::Text), 1.6));
  graph->setAntialiased(true);
}

void DistributionPlot::addRug() {
  std::vector<Point> points;
  QVector<double> x, y;
  const double middle = -0.5 * RugShare * highest();
  for (const std::size_t i : thinned(m_space->byTime, MostTicks)) {
    points.push_back({canvas().axisRect(), m_space->seconds[i], middle, i});
    x.append(m_space->seconds[i]);
    y.append(middle);
  }
  QCPGraph* graph = canvas().addGraph();
  graph->setData(x, y, true);
  graph->setLineStyle(QCPGraph::lsNone);
  QPainterPath tick;
  tick.moveTo(0, -6);
  tick.lineTo(0, 6);
  const QColor color = ink(Ink::Intermediate, m_space->byTime.size() > 300 ? 90 : 180);
  graph->setScatterStyle(QCPScatterStyle(tick, QPen(color, 1)));
  setPoints(std::move(points));
}

void DistributionPlot::addLanes() {
  double top = -(RugShare + LaneGap) * highest();
  for (const SpaceLane& lane : m_lanes) {
    const double bottom = top - LaneShare * highest();
    const auto dots = drawLane(canvas(), lane, *m_space, m_current, bottom, top);
    m_dots.insert(m_dots.end(), dots.begin(), dots.end());
    top = bottom;
  }
}

void DistributionPlot::addMarks() {
  std::vector<Mark> marks = m_space->marks;
  const auto current = m_space->find(m_current);
  const std::string hash = m_current.toStdString();
  const bool hasName = std::ranges::find(marks, hash, &Mark::hash) != marks.end();
  if (current && !hasName && !std::isnan(m_space->seconds[*current]))
    marks.push_back({tr("this").toStdString(), hash, m_space->seconds[*current], {}});
  m_marks->show(marks, -RugShare * highest());
}

void DistributionPlot::showBrush() {
  if (m_brushItem != nullptr) canvas().removeItem(m_brushItem);
  m_brushItem = nullptr;
  if (!m_brush || !m_space) return;
  m_brushItem = new QCPItemRect(&canvas());
  setInks(*m_brushItem, QPen(ink(Ink::Accent), 1), ink(Ink::Accent, 40));
  m_brushItem->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
  m_brushItem->topLeft->setCoords(m_brush->first, 0);
  m_brushItem->bottomRight->setCoords(m_brush->second, -RugShare * highest());
}

const LaneDot* DistributionPlot::dotAt(QPointF position) const {
  constexpr double Reach = 7;
  for (const LaneDot& dot : std::views::reverse(m_dots)) {
    const QPointF at(xOf(dot.seconds), canvas().yAxis->coordToPixel(dot.y));
    const QPointF off = at - position;
    if (QPointF::dotProduct(off, off) <= Reach * Reach) return &dot;
  }
  return nullptr;
}

QString DistributionPlot::toolTipAt(QPointF position) const {
  if (const LaneDot* dot = dotAt(position)) return dot->text;
  const auto candidate = candidateAt(position);
  if (!candidate) return {};
  const QString schedule = m_space->text(*candidate);
  return secondsText(m_space->seconds[*candidate]) + '\n' +
         (schedule.isEmpty() ? tr("the default schedule") : schedule);
}

void DistributionPlot::press(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_pressed = event->position();
}

void DistributionPlot::drag(QMouseEvent* event) {
  if (!m_pressed) {
    const QString text = toolTipAt(event->position());
    if (text.isEmpty()) return QToolTip::hideText();
    return QToolTip::showText(event->globalPosition().toPoint(), text, this);
  }
  if (std::abs(event->position().x() - m_pressed->x()) < DragDistance) return;
  const double from = canvas().xAxis->pixelToCoord(m_pressed->x());
  const double to = canvas().xAxis->pixelToCoord(event->position().x());
  setBrush(std::pair(std::min(from, to), std::max(from, to)));
}

void DistributionPlot::release(QMouseEvent* event) {
  if (!m_pressed) return;
  const bool isDrag = std::abs(event->position().x() - m_pressed->x()) >= DragDistance;
  m_pressed.reset();
  if (isDrag) {
    Q_EMIT brushed(m_brush);
  } else if (const LaneDot* dot = dotAt(event->position())) {
    Q_EMIT candidateClicked(dot->hash);
  } else if (const auto mark = m_marks->at(event->position())) {
    Q_EMIT candidateClicked(*mark);
  } else if (const auto candidate = candidateAt(event->position())) {
    Q_EMIT candidateClicked(m_space->hash[*candidate]);
  } else if (m_brush) {
    setBrush({});
    Q_EMIT brushed(m_brush);
  }
}

}  // namespace thallo::gui
