#include "gui/kernels/view/roofline_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QToolTip>

#include "gui/base/text.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/step_looks.h"

namespace thallo::gui {
namespace {

constexpr double SmallestPoint = 7, LargestPoint = 26;
constexpr double Reach = 6;  // pixels within which a click hits a point
constexpr int NumNamed = 3;

// Labels powers of ten as "1 G", "100 M".
class RateTicker final : public QCPAxisTickerLog {
 public:
  explicit RateTicker(QString unit) : m_unit(std::move(unit)) { setSubTickCount(8); }

 protected:
  QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/,
                       int /*precision*/) override {
    QString text = quantityText(tick, m_unit);
    return text.replace(QStringLiteral(".00"), QString())
        .replace(QStringLiteral("0.0 "), QStringLiteral("0 "))
        .trimmed();
  }

 private:
  QString m_unit;
};

class PlainTicker final : public QCPAxisTickerLog {
 protected:
  QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/,
                       int /*precision*/) override {
    return significant(tick, 1);
  }
};

QString tipOf(const KernelRow& row, double intensity, double rate) {
  QString tip = row.label() + '\n' + secondsText(row.seconds());
  tip += row.measured ? QObject::tr(" measured") : QObject::tr(" estimated");
  tip += QObject::tr(", %1 flop a byte").arg(significant(intensity));
  tip += '\n' + quantityText(rate, "flop/s") + QStringLiteral("  ·  ") +
         quantityText(row.facts.bytes / row.seconds(), "B/s");
  if (!row.facts.waits.empty()) tip += '\n' + QObject::tr("waits for %1").arg(waitsText(row.facts));
  return tip;
}

}  // namespace

RooflinePlot::RooflinePlot() : Plot("roofline", tr("Roofline of the device with the kernels")) {
  canvas().setMinimumSize(200, 140);
  connect(&canvas(), &QCustomPlot::mouseMove, this, &RooflinePlot::onMove);
  connect(&canvas(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (const Kernel* point = pointAt(event->position())) Q_EMIT chosen(point->row->label());
  });
  rebuild();
}

void RooflinePlot::setSnapshot(std::shared_ptr<const KernelSnapshot> snapshot) {
  m_snapshot = std::move(snapshot);
  findPoints();
  rebuild();
}

void RooflinePlot::mark(const QString& label) {
  if (label == m_marked) return;
  m_marked = label;
  rebuild();
}

void RooflinePlot::findPoints() {
  m_drawn.clear();
  if (!m_snapshot) return;
  for (const KernelRow& row : m_snapshot->rows) {
    const StepFacts& facts = row.facts;
    if (!(facts.flops > 0) || !(facts.bytes > 0) || !(row.seconds() > 0)) continue;
    m_drawn.push_back(
        {.intensity = facts.flops / facts.bytes,
         .rate = facts.flops / row.seconds(),
         .size = SmallestPoint + (LargestPoint - SmallestPoint) * std::sqrt(row.share),
         .row = &row});
  }
}

void RooflinePlot::styleAxes() {
  style(*canvas().axisRect());
  const auto setUp = [this](QCPAxis* axis, const QSharedPointer<QCPAxisTicker>& ticker,
                            const QString& label) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(ticker);
    axis->setLabel(label);
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelFont(font());
  };
  setUp(canvas().xAxis, QSharedPointer<PlainTicker>::create(),
        tr("flops for each byte that moves"));
  setUp(canvas().yAxis, QSharedPointer<RateTicker>::create("flop/s"), {});
}

// Shows all points and the ridge, with a margin.
void RooflinePlot::setRanges() {
  const DeviceRoofs& roofs = m_snapshot->roofs;
  const double ridge = roofs.arithmetic / roofs.memory;
  double left = ridge, right = ridge, low = roofs.arithmetic;
  for (const Kernel& point : m_drawn) {
    left = std::min(left, point.intensity);
    right = std::max(right, point.intensity);
    low = std::min(low, point.rate);
  }
  canvas().xAxis->setRange(left / 3, std::max(right * 6, ridge * 12));
  canvas().yAxis->setRange(low / 4, roofs.arithmetic * 4);
}

void RooflinePlot::drawLine(double fromX, double fromY, double toX, double toY, bool isDashed) {
  QCPGraph* line = canvas().addGraph();
  line->setData({fromX, toX}, {fromY, toY}, true);
  line->setPen(
      QPen(ink(isDashed ? Ink::Muted : Ink::Text), 1.5, isDashed ? Qt::DashLine : Qt::SolidLine));
}

void RooflinePlot::drawWord(double x, double y, const QString& text, Qt::Alignment alignment) {
  auto* word = new QCPItemText(&canvas());
  word->setText(text);
  word->setPositionAlignment(alignment);
  word->setFont(font());
  word->setColor(ink(Ink::Muted));
  word->setPadding(QMargins(4, 2, 4, 2));
  word->position->setCoords(x, y);
}

void RooflinePlot::drawRoofs() {
  const DeviceRoofs& roofs = m_snapshot->roofs;
  const double left = canvas().xAxis->range().lower, right = canvas().xAxis->range().upper;
  const double ridge = roofs.arithmetic / roofs.memory;
  drawLine(left, left * roofs.memory, ridge, roofs.arithmetic, false);
  drawLine(ridge, roofs.arithmetic, right, roofs.arithmetic, false);
  drawWord(right, roofs.arithmetic, quantityText(roofs.arithmetic, "flop/s"),
           Qt::AlignRight | Qt::AlignBottom);
  if (roofs.cache > roofs.memory)
    drawLine(left, left * roofs.cache, roofs.arithmetic / roofs.cache, roofs.arithmetic, true);
  // Places the labels beside their lines, near the upper ends, where kernels are rare.
  const double low = std::max(left, canvas().yAxis->range().lower / roofs.memory);
  const double along = low * std::pow(ridge / low, 0.85);
  drawWord(along, along * roofs.memory, tr("memory %1").arg(quantityText(roofs.memory, "B/s")),
           Qt::AlignLeft | Qt::AlignTop);
  if (roofs.cache > roofs.memory)
    drawWord(along, along * roofs.cache, tr("cache %1").arg(quantityText(roofs.cache, "B/s")),
             Qt::AlignRight | Qt::AlignBottom);
}

void RooflinePlot::drawPoint(const Kernel& point) {
  const Ink its = inkOfStep(point.row->label());
  QCPGraph* graph = canvas().addGraph();
  graph->setData({point.intensity}, {point.rate}, true);
  graph->setLineStyle(QCPGraph::lsNone);
  const bool isMarked = point.row->label() == m_marked;
  graph->setScatterStyle(QCPScatterStyle(
      QCPScatterStyle::ssCircle, QPen(isMarked ? ink(Ink::Text) : ink(its), isMarked ? 2.5 : 1.5),
      QBrush(ink(its, point.row->measured ? 220 : 30)), point.size));
}

// Returns the areas of the existing labels, once the axes are laid out.
std::vector<QRectF> RooflinePlot::areasOfWords() const {
  std::vector<QRectF> areas;
  for (int i = 0; i < canvas().itemCount(); ++i) {
    if (const auto* word = qobject_cast<QCPItemText*>(canvas().item(i)))
      areas.emplace_back(word->topLeft->pixelPosition(), word->bottomRight->pixelPosition());
  }
  return areas;
}

// Labels the kernels that take most of the time, and the marked one: to the right or the left of
// the point, wherever there is no other label.
void RooflinePlot::nameLargest() {
  std::vector<QRectF> taken = areasOfWords();
  const QRectF plot = canvas().axisRect()->rect();
  int numNamed = 0;
  for (const Kernel& point : m_drawn) {
    const bool isMarked = point.row->label() == m_marked;
    if (numNamed >= NumNamed && !isMarked) continue;
    const QString name = roleOf(point.row->label());
    const QPointF at = pixelOf(point);
    const QSizeF size(fontMetrics().horizontalAdvance(name) + 4, fontMetrics().height());
    const double away = point.size / 2 + 4;
    for (const double x : {at.x() + away, at.x() - away - size.width()}) {
      const QRectF area(QPointF(x, at.y() - size.height() / 2), size);
      const bool isFree =
          area.left() >= plot.left() && area.right() <= plot.right() &&
          std::ranges::none_of(taken, [&](const QRectF& t) { return t.intersects(area); });
      if (!isFree) continue;
      taken.push_back(area);
      ++numNamed;
      auto* word = new QCPItemText(&canvas());
      word->setText(name);
      word->setFont(font());
      word->setColor(ink(Ink::Text));
      word->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
      word->position->setType(QCPItemPosition::ptAbsolute);
      word->position->setCoords(x, at.y());
      break;
    }
  }
}

void RooflinePlot::rebuild() {
  canvas().clearGraphs();
  canvas().clearItems();
  styleAxes();
  if (m_snapshot && m_snapshot->roofs.memory > 0) {
    setRanges();
    drawRoofs();
    for (const Kernel& point : m_drawn) drawPoint(point);
    canvas().replot();  // lays out the axes, which the placement of names needs
    nameLargest();
  }
  canvas().replot();
}

QPointF RooflinePlot::pixelOf(const Kernel& point) const {
  return {canvas().xAxis->coordToPixel(point.intensity), canvas().yAxis->coordToPixel(point.rate)};
}

QPointF RooflinePlot::positionOf(const QString& label) const {
  for (const Kernel& point : m_drawn)
    if (point.row->label() == label) return pixelOf(point);
  return {};
}

const RooflinePlot::Kernel* RooflinePlot::pointAt(QPointF position) const {
  const Kernel* nearest = nullptr;
  double least = 0;
  for (const Kernel& point : m_drawn) {
    const QPointF off = pixelOf(point) - position;
    const double distance = std::hypot(off.x(), off.y()) - point.size / 2;
    if (distance > Reach || (nearest != nullptr && distance >= least)) continue;
    nearest = &point;
    least = distance;
  }
  return nearest;
}

void RooflinePlot::onMove(QMouseEvent* event) {
  const Kernel* point = pointAt(event->position());
  canvas().setCursor(point == nullptr ? Qt::ArrowCursor : Qt::PointingHandCursor);
  if (point == nullptr) return QToolTip::hideText();
  QToolTip::showText(event->globalPosition().toPoint(),
                     tipOf(*point->row, point->intensity, point->rate), &canvas());
}

}  // namespace thallo::gui
