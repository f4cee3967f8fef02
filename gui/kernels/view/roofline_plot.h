// Draws the roofline of a device (Williams, Waterman and Patterson, "Roofline: An Insightful Visual
// Performance Model", 2009) with the kernels of a program: flops per second against flops per byte
// that must be moved. Memory is the limit under the slope, arithmetic under the level. Measured
// kernels are filled, estimated ones hollow; the size shows the total time.
#pragma once

#include <memory>
#include <vector>

#include "gui/kernels/kernel_data.h"
#include "gui/widgets/plot.h"

class QMouseEvent;

namespace thallo::gui {

class RooflinePlot final : public Plot {
  Q_OBJECT

 public:
  RooflinePlot();

  void setSnapshot(std::shared_ptr<const KernelSnapshot> snapshot);
  // Marks the point of the step; none if the label is empty.
  void mark(const QString& label);
  // The number of kernels in the plot; kernels without arithmetic or without a time have no point.
  int pointCount() const { return static_cast<int>(m_drawn.size()); }
  // Returns the position of a kernel's point in the plot; null if it has none.
  QPointF positionOf(const QString& label) const;

 Q_SIGNALS:
  void chosen(const QString& label);

 protected:
  void rebuild() override;

 private:
  struct Kernel {
    double intensity = 0;  // flops per byte
    double rate = 0;       // flops per second
    double size = 0;       // pixels
    const KernelRow* row = nullptr;
  };

  void findPoints();
  void styleAxes();
  void setRanges();
  void drawRoofs();
  void drawLine(double fromX, double fromY, double toX, double toY, bool isDashed);
  void drawWord(double x, double y, const QString& text, Qt::Alignment alignment);
  void drawPoint(const Kernel& point);
  std::vector<QRectF> areasOfWords() const;
  void nameLargest();
  const Kernel* pointAt(QPointF position) const;
  QPointF pixelOf(const Kernel& point) const;
  void onMove(QMouseEvent* event);

  std::shared_ptr<const KernelSnapshot> m_snapshot;
  std::vector<Kernel> m_drawn;
  QString m_marked;
};

}  // namespace thallo::gui
