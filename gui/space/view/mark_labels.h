// Labelled vertical lines in a diagram of times: the best schedule, auto, the median.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QString>

#include "gui/space/space_data.h"

class QCustomPlot;
class QCPItemLine;
class QCPItemText;

namespace thallo::gui {

class MarkLabels {
 public:
  // Draws on the first axis rectangle of the plot, which owns the items.
  explicit MarkLabels(QCustomPlot& plot) : m_plot(plot) {}

  // Replaces the previous marks, and removes their items and their margin. Lines begin at `bottom`
  // on the vertical axis.
  void show(const std::vector<thallo::Mark>& marks, double bottom);
  // Places labels beside their lines so that no label covers another. Must be called once the
  // position of the axes is known. Reserves room above the axes, which makes the plot lay out
  // again.
  void place();
  // Returns the schedule of the mark at this position.
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
