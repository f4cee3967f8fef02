// What diagrams of the app have in common: the colors of the theme, points that can be clicked, and
// pictures of themselves as files.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

#include "gui/models/space_data.h"
#include "gui/views/theme.h"

class QCustomPlot;
class QCPAxisRect;
class QCPGraph;
class QMouseEvent;

namespace thallo::gui {

// The color of a mark, the same in all diagrams.
Ink markInk(const QString& name);

class Plot : public QWidget {
  Q_OBJECT

 public:
  explicit Plot(QWidget* parent = nullptr);

  // By its suffix .png, .svg or .pdf; false when the file cannot be written.
  bool exportTo(const QString& file);
  // Asks for a file and exports to it.
  void exportByDialog();
  // How many points are drawn, for tests.
  int numPoints() const { return static_cast<int>(m_points.size()); }

 Q_SIGNALS:
  void candidateClicked(const QString& hash);

 protected:
  // A point of a candidate; where it lies is asked for when somebody clicks.
  struct Point {
    QCPAxisRect* rect = nullptr;
    double x = 0, y = 0;
    std::size_t candidate = 0;
  };

  QCustomPlot& canvas() const { return *m_canvas; }
  // Makes all of it anew, with the colors of the theme.
  virtual void rebuild() = 0;
  void changeEvent(QEvent* event) override;

  // Axes, grid and fonts by the theme.
  static void style(QCPAxisRect& rect);
  // Points in a color; `isHollow` for what was not measured.
  static QCPGraph* addPoints(QCPAxisRect& rect, const std::vector<Point>& points,
                             const QColor& color, double size, bool isHollow = false);
  void setPoints(std::vector<Point> points) { m_points = std::move(points); }
  // The nearest point within some pixels.
  std::optional<std::size_t> candidateAt(QPointF position) const;

 private:
  QCustomPlot* m_canvas;
  std::vector<Point> m_points;
};

// So many of the candidates at most, evenly among those that are given.
std::vector<std::size_t> thinned(const std::vector<std::size_t>& candidates, std::size_t most);

}  // namespace thallo::gui
