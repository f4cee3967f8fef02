// The roofline of a device (Williams, Waterman and Patterson, "Roofline: An Insightful Visual
// Performance Model", 2009) with the kernels of a program on it: how many flops a second a kernel
// reaches by how many it has for each byte that it must move. Under the slope memory is the limit,
// under the level arithmetic is. Measured kernels are filled, estimated ones hollow, and larger the
// more time they take in all.
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "gui/models/kernel_data.h"

class QCustomPlot;
class QMouseEvent;

namespace thallo::gui {

class RooflinePlot final : public QWidget {
  Q_OBJECT

 public:
  explicit RooflinePlot(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const KernelSnapshot> snapshot);
  // Marks the point of the step, or none.
  void mark(const QString& label);
  // How many kernels are on it; those without arithmetic or time are not.
  int pointCount() const { return static_cast<int>(m_points.size()); }
  // Where the point of a kernel is drawn, in the plot; null when it is not on it.
  QPointF positionOf(const QString& label) const;

 Q_SIGNALS:
  void chosen(const QString& label);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Point {
    double intensity = 0;  // flops a byte
    double rate = 0;       // flops a second
    double size = 0;       // pixels
    const KernelRow* row = nullptr;
  };

  void findPoints();
  void rebuild();
  void styleAxes();
  void setRanges();
  void drawRoofs();
  void drawLine(double fromX, double fromY, double toX, double toY, bool isDashed);
  void drawWord(double x, double y, const QString& text, Qt::Alignment alignment);
  void drawPoint(const Point& point);
  std::vector<QRectF> areasOfWords() const;
  void nameLargest();
  const Point* pointAt(QPointF position) const;
  QPointF pixelOf(const Point& point) const;
  void onMove(QMouseEvent* event);

  QCustomPlot* m_canvas;
  std::shared_ptr<const KernelSnapshot> m_snapshot;
  std::vector<Point> m_points;
  QString m_marked;
};

}  // namespace thallo::gui
