// Draws the roofline of a device (Williams, Waterman and Patterson, "Roofline: An Insightful Visual
// Performance Model", 2009) with the kernels of a program: flops per second against flops per byte
// that must be moved. Memory is the limit under the slope, arithmetic under the level. Measured
// kernels are filled, estimated ones hollow; the size shows the total time.
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "gui/kernels/kernel_data.h"

class QCustomPlot;
class QMouseEvent;

namespace thallo::gui {

class RooflinePlot final : public QWidget {
  Q_OBJECT

 public:
  explicit RooflinePlot(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const KernelSnapshot> snapshot);
  // Marks the point of the step; none if the label is empty.
  void mark(const QString& label);
  // The number of kernels in the plot; kernels without arithmetic or without a time have no point.
  int pointCount() const { return static_cast<int>(m_points.size()); }
  // Returns the position of a kernel's point in the plot; null if it has none.
  QPointF positionOf(const QString& label) const;

 Q_SIGNALS:
  void chosen(const QString& label);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Point {
    double intensity = 0;  // flops per byte
    double rate = 0;       // flops per second
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
