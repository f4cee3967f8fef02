// Shows where the time of a nonlinear iteration goes; it is always visible. Every step of the
// program is a segment as wide as its share: first the steps that run once, then those of every
// linear iteration, and last, dotted, the time outside of steps (launches, the host). Measured
// segments are filled, predicted ones hatched. After a change, the previous schedule is drawn
// above, and a text gives the difference. While an edit is tried out, its effect is shown in the
// same way, as if it had been made.
#pragma once

#include <vector>

#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class TimeStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit TimeStrip(Workspace& workspace);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  int segmentCount() const { return static_cast<int>(m_bars.size()); }
  // The seconds outside of steps.
  double restSeconds() const { return m_rest.seconds; }
  // The time and how it is known: "3.10 ms estimated", or measured, or scaled.
  const QString& summary() const { return m_summary; }
  // The change from the previous schedule, "−23 % (−41 µs)", and whether one of the two times is
  // scaled.
  const QString& change() const { return m_change; }
  // Explains how the times of the steps relate to the total; empty if there is nothing to explain.
  const QString& note() const { return m_note; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Bar {
    QRectF area;
    TimeSegment segment;
  };
  struct Rest {
    QRectF area;
    double seconds = 0;
  };

  // The times that are drawn: those of the schedule that is tried out, or of the current one; null
  // if there is none. Then those that are drawn above, and the change between the two.
  const TimeEstimate* shown() const;
  const TimeEstimate* before() const;
  std::optional<TimeChange> shownChange() const;
  const Trial* trial() const;  // null if nothing is tried out, or if that is not possible
  void refresh();
  void layOut();
  // Returns the factor that makes the times that are drawn above comparable with the current
  // ones.
  double beforeScale() const;
  const Bar* barAt(QPointF point) const;
  void paintBar(QPainter& painter, const Bar& bar) const;
  void paintRest(QPainter& painter) const;
  void paintLabel(QPainter& painter, const QRectF& area, const QString& words) const;
  void paintBefore(QPainter& painter) const;
  void paintCaptions(QPainter& painter) const;

  Workspace& m_workspace;
  std::vector<Bar> m_bars;
  Rest m_rest;
  QRectF m_track;  // the area of the segments
  double m_onceEnd = 0;
  double m_scale = 0;  // pixels per second
  QString m_summary, m_once, m_linear, m_change, m_note;
  bool m_isFaster = false;
};

}  // namespace thallo::gui
