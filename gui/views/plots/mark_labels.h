// Labelled vertical lines above a diagram of times: the best schedule, auto, the median.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>

#include "gui/models/space_data.h"

class QCustomPlot;
class QCPItemLine;
class QCPItemText;

namespace thallo::gui {

class MarkLabels {
 public:
  // On the first axis rectangle of the plot, which owns what is drawn.
  explicit MarkLabels(QCustomPlot& plot) : m_plot(plot) {}

  // In place of those before, whose items and room are gone. Lines begin at `bottom` on the
  // vertical axis.
  void show(const std::vector<SpaceMark>& marks, double bottom);
  // Puts labels beside their lines so that none covers another, once the place of the axes is
  // known; makes room for them above the axes, which lays the plot out again.
  void place();
  // The schedule of the mark that is there.
  std::optional<QString> at(QPointF position) const;

 private:
  struct Mark {
    MarkLine line;
    QCPItemLine* item = nullptr;
    QCPItemText* label = nullptr;
    double width = 0;
  };
  double xOf(double seconds) const;

  QCustomPlot& m_plot;
  std::vector<Mark> m_marks;
  int m_numRows = 1;
};

}  // namespace thallo::gui
