// The common base of the app's diagrams: colors of the theme, points that can be clicked, and
// export to files.
#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "gui/widgets/theme.h"

class QCustomPlot;
class QCPAxisRect;
class QCPGraph;
class QMouseEvent;

namespace thallo::gui {

// Returns the color of a mark, which is the same in all diagrams.
Ink markInk(const QString& name);

class Plot : public QWidget {
  Q_OBJECT

 public:
  // With the names that named() gives.
  explicit Plot(const QString& name, const QString& read = {});

  // Exports in the format of the suffix .png, .svg or .pdf. Returns false if the file cannot be
  // written.
  bool exportTo(const QString& file);
  // Asks for a file and exports to it.
  void exportByDialog();
  // The number of points that are drawn; for tests.
  int numPoints() const { return static_cast<int>(m_points.size()); }

 Q_SIGNALS:
  void candidateClicked(const QString& hash);

 protected:
  // The point of a candidate. Its position on the screen is computed when somebody clicks.
  struct Point {
    QCPAxisRect* rect = nullptr;
    double x = 0, y = 0;
    std::size_t candidate = 0;
  };

  QCustomPlot& canvas() const { return *m_canvas; }
  // Rebuilds everything, with the colors of the theme.
  virtual void rebuild() = 0;

  // Styles axes, grid and fonts according to the theme.
  static void style(QCPAxisRect& rect);
  // Adds points in a color; `isHollow` is for values that were not measured.
  static QCPGraph* addPoints(QCPAxisRect& rect, const std::vector<Point>& points,
                             const QColor& color, double size, bool isHollow = false);
  void setPoints(std::vector<Point> points) { m_points = std::move(points); }
  // Returns the nearest point within some pixels.
  std::optional<std::size_t> candidateAt(QPointF position) const;

 private:
  QCustomPlot* m_canvas;
  std::vector<Point> m_points;
};

// Returns at most `most` of the candidates, evenly spaced in the list.
std::vector<std::size_t> thinned(const std::vector<std::size_t>& candidates, std::size_t most);

}  // namespace thallo::gui
