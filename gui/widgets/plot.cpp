#include "gui/widgets/plot.h"

#include <array>
#include <utility>

#include <QFileDialog>
#include <QSvgGenerator>

#include "gui/widgets/layouts.h"
#include "gui/widgets/qcp.h"

namespace thallo::gui {

Ink markInk(const QString& name) {
  static const std::array<std::pair<const char*, Ink>, 8> Inks = {{
      {"best", Ink::Product},
      {"published-default", Ink::Intermediate},
      {"default", Ink::Sum},
      {"opt", Ink::Residual},
      {"auto", Ink::Cut},
      {"file", Ink::Unknown},
      {"text", Ink::Unknown},
      {"median", Ink::Muted},
  }};
  for (const auto& [known, ink] : Inks)
    if (name == known) return ink;
  return Ink::Text;
}

Plot::Plot(const QString& name, const QString& read) : m_canvas(new QCustomPlot) {
  named(this, name, read);
  setLayout(makeColumn({m_canvas}, {0, 0, 0, 0}));
  m_canvas->setNoAntialiasingOnDrag(true);
  // All plots of a page are painted together, not each at once and by itself.
  m_canvas->setPlottingHint(QCP::phImmediateRefresh, false);
  m_canvas->setMinimumSize(120, 80);
  m_canvas->setFocusPolicy(Qt::NoFocus);  // it has no keys
  onThemeChange(*this, [this] { rebuild(); });
}

bool Plot::exportTo(const QString& file) {
  if (file.endsWith(".pdf", Qt::CaseInsensitive)) return m_canvas->savePdf(file);
  if (file.endsWith(".svg", Qt::CaseInsensitive)) {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(m_canvas->size());
    svg.setViewBox(m_canvas->rect());
    QCPPainter painter;
    if (!painter.begin(&svg)) return false;
    painter.setMode(QCPPainter::pmVectorized);
    m_canvas->toPainter(&painter, m_canvas->width(), m_canvas->height());
    return painter.end();
  }
  constexpr double Scale = 2;
  return m_canvas->savePng(file, 0, 0, Scale);
}

void Plot::exportByDialog() {
  QString chosen;
  QString file = QFileDialog::getSaveFileName(this, tr("Save the diagram"), {},
                                              tr("SVG (*.svg);;PNG (*.png);;PDF (*.pdf)"), &chosen);
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += '.' + chosen.left(3).toLower();
  exportTo(file);
}

void Plot::style(QCPAxisRect& rect) {
  rect.parentPlot()->setBackground(QBrush(ink(Ink::Raised)));
  for (QCPAxis* axis : rect.axes()) {
    axis->setBasePen(QPen(ink(Ink::Frame)));
    axis->setTickPen(QPen(ink(Ink::Frame)));
    axis->setSubTickPen(QPen(ink(Ink::Frame)));
    axis->setTickLabelColor(ink(Ink::Muted));
    axis->setLabelColor(ink(Ink::Muted));
    QFont font = rect.parentPlot()->font();
    axis->setLabelFont(font);
    font.setPointSizeF(font.pointSizeF() * 0.9);
    axis->setTickLabelFont(font);
    axis->setLabelPadding(2);
    axis->grid()->setPen(QPen(ink(Ink::Frame), 1, Qt::DotLine));
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
}

QCPGraph* Plot::addPoints(QCPAxisRect& rect, const std::vector<Point>& points, const QColor& color,
                          double size, bool isHollow) {
  QCustomPlot& plot = *rect.parentPlot();
  QCPGraph* graph = plot.addGraph(rect.axis(QCPAxis::atBottom), rect.axis(QCPAxis::atLeft));
  QVector<double> x, y;
  for (const Point& point : points) {
    x.append(point.x);
    y.append(point.y);
  }
  graph->setData(x, y);
  graph->setLineStyle(QCPGraph::lsNone);
  graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(color, isHollow ? 1.5 : 0),
                                         isHollow ? QBrush(Qt::NoBrush) : QBrush(color), size));
  return graph;
}

std::optional<std::size_t> Plot::candidateAt(QPointF position) const {
  constexpr double Reach = 8;
  std::optional<std::size_t> nearest;
  double least = Reach * Reach;
  for (const Point& point : m_points) {
    const QPointF at(point.rect->axis(QCPAxis::atBottom)->coordToPixel(point.x),
                     point.rect->axis(QCPAxis::atLeft)->coordToPixel(point.y));
    const QPointF off = at - position;
    const double distance = QPointF::dotProduct(off, off);
    if (distance > least) continue;
    least = distance;
    nearest = point.candidate;
  }
  return nearest;
}

std::vector<std::size_t> thinned(const std::vector<std::size_t>& candidates, std::size_t most) {
  if (candidates.size() <= most) return candidates;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < most; ++i) result.push_back(candidates[i * candidates.size() / most]);
  return result;
}

}  // namespace thallo::gui
