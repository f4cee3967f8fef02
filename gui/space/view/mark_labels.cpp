#include "gui/space/view/mark_labels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFontMetricsF>

#include "gui/base/text.h"
#include "gui/widgets/plot.h"
#include "gui/widgets/qcp.h"

namespace thallo::gui {

double MarkLabels::xOf(double seconds) const { return m_plot.xAxis->coordToPixel(seconds); }

void MarkLabels::show(const std::vector<thallo::Mark>& marks, double bottom) {
  m_marks.clear();
  m_numRows = 1;
  QFont bold = m_plot.font();
  bold.setWeight(QFont::DemiBold);
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

void MarkLabels::place() {
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

std::optional<QString> MarkLabels::at(QPointF position) const {
  constexpr double Reach = 4;
  for (const Mark& mark : m_marks) {
    const bool isAtLine = std::abs(xOf(mark.line.seconds) - position.x()) <= Reach;
    const double toLabel = mark.label->selectTest(position, false);
    const bool isAtLabel = toLabel >= 0 && toLabel < Reach;
    if ((isAtLine || isAtLabel) && !mark.line.hash.empty()) return toQt(mark.line.hash);
  }
  return std::nullopt;
}

}  // namespace thallo::gui
