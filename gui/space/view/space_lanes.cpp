#include "gui/space/view/space_lanes.h"

#include <algorithm>
#include <cmath>

#include "gui/base/text.h"
#include "gui/widgets/qcp.h"

namespace thallo::gui {
namespace {

// The share of a lane for its curve; the rest separates it from the lane above.
constexpr double CurveShare = 0.8;
constexpr double DotSize = 7;

// Returns the time of a schedule in the lane; absent if it has none there.
std::optional<double> secondsIn(const SpaceSnapshot& space, const QString& hash) {
  const auto candidate = space.find(hash);
  if (!candidate || std::isnan(space.seconds[*candidate])) return std::nullopt;
  return space.seconds[*candidate];
}

void drawCurve(QCustomPlot& plot, const SpaceSnapshot& space, double bottom, double height) {
  const Density& density = space.density;
  const auto most = std::ranges::max_element(density.density);
  if (most == density.density.end() || *most <= 0) return;
  QVector<double> x, base, curve;
  for (std::size_t i = 0; i < density.at.size(); ++i) {
    x.append(density.at[i]);
    base.append(bottom);
    curve.append(bottom + height * density.density[i] / *most);
  }
  QCPGraph* floor = plot.addGraph();
  floor->setData(x, base, true);
  floor->setPen(Qt::NoPen);
  QCPGraph* graph = plot.addGraph();
  graph->setData(x, curve, true);
  graph->setAntialiased(true);
  setInks(*graph, QPen(ink(Ink::Muted), 1.2), ink(Ink::Sum, 60));
  graph->setChannelFillGraph(floor);
}

void drawDot(QCustomPlot& plot, const LaneDot& dot) {
  QCPGraph* graph = plot.addGraph();
  graph->setData({dot.seconds}, {dot.y}, true);
  graph->setLineStyle(QCPGraph::lsNone);
  const QColor color = ink(dot.ink);
  graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(color, 1.8),
                                         dot.isFilled ? QBrush(color) : QBrush(ink(Ink::Raised)),
                                         DotSize));
}

// Draws the title at the end of the lane where the curve is lower.
void drawTitle(QCustomPlot& plot, const SpaceLane& lane, const SpaceSnapshot& here, double top) {
  const auto& order = lane.space->byTime;
  const QCPRange range = plot.xAxis->range();
  const double middle = order.empty() ? 0 : lane.space->seconds[order[order.size() / 2]];
  const bool isLog = plot.xAxis->scaleType() == QCPAxis::stLogarithmic;
  const double center = isLog ? std::sqrt(range.lower * range.upper) : range.center();
  const bool isRight = middle < center;
  auto* title = new QCPItemText(&plot);
  title->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  title->position->setCoords(isRight ? 1 : 0, top);
  title->setPositionAlignment((isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop);
  title->setText(laneTitle(lane, here));
  title->setColor(ink(Ink::Text));
  QFont font = plot.font();
  font.setPointSizeF(0.9 * font.pointSizeF());
  title->setFont(font);
  title->setBrush(ink(Ink::Raised, 190));
  title->setPadding(QMargins(4, 0, 4, 0));
}

}  // namespace

QString laneTitle(const SpaceLane& lane, const SpaceSnapshot& here) {
  const SpaceSnapshot& there = *lane.space;
  const auto bestThere = there.best(), bestHere = here.best();
  if (!bestThere) return QObject::tr("%1 · nothing has a time").arg(lane.name);
  QString title =
      QObject::tr("%1 · %2 · best %3")
          .arg(lane.name, countText(there.byTime.size()), secondsText(there.seconds[*bestThere]));
  if (!bestHere) return title;
  const auto seconds = secondsIn(there, here.hash[*bestHere]);
  if (!seconds) return title + QObject::tr(" · the best of above has no time");
  if (here.hash[*bestHere] == there.hash[*bestThere])
    return title + QObject::tr(" · the same schedule is best");
  return title + QObject::tr(" · the best of above ") +
         toQt(off_the_best(*seconds / there.seconds[*bestThere]));
}

std::vector<LaneDot> drawLane(QCustomPlot& plot, const SpaceLane& lane, const SpaceSnapshot& here,
                              const QString& current, double bottom, double top) {
  const SpaceSnapshot& there = *lane.space;
  drawCurve(plot, there, bottom, CurveShare * (top - bottom));
  std::vector<LaneDot> dots;
  const auto add = [&](const QString& hash, const QString& what, Ink ink, bool isFilled) {
    const auto seconds = secondsIn(there, hash);
    if (!seconds) return;
    const double y = bottom + 0.18 * (top - bottom);
    const QString text = QStringLiteral("%1: %2, %3").arg(lane.name, what, secondsText(*seconds));
    dots.push_back({*seconds, y, hash, text, ink, isFilled});
    drawDot(plot, dots.back());
  };
  if (!current.isEmpty()) add(current, QObject::tr("this schedule"), Ink::Text, false);
  if (const auto best = here.best())
    add(here.hash[*best], QObject::tr("the best of above"), Ink::Product, false);
  if (const auto best = there.best())
    add(there.hash[*best], QObject::tr("best"), Ink::Product, true);
  drawTitle(plot, lane, here, top);
  return dots;
}

}  // namespace thallo::gui
