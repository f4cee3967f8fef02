// Where the time of a nonlinear iteration goes, always visible: every step of the program a
// segment, as wide as its share; what runs once, then what runs in every linear iteration, and
// last, dotted, what is beside the steps, as launches and the host. Measured segments are filled,
// predicted ones hatched. After a change the schedule before it is drawn above, and the difference
// is said in words.
#pragma once

#include <vector>

#include <QWidget>

#include "gui/models/workspace.h"

namespace thallo::gui {

class TimeStrip final : public QWidget {
  Q_OBJECT

 public:
  explicit TimeStrip(Workspace& workspace, QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  int segmentCount() const { return static_cast<int>(m_bars.size()); }
  // Seconds of the stretch that is beside the steps.
  double restSeconds() const { return m_rest.seconds; }
  // "3.10 ms estimated", measured, or scaled.
  const QString& summary() const { return m_summary; }
  // Against the schedule before: "−23 % (−41 µs)", and whether one of the two is scaled.
  const QString& change() const { return m_change; }
  // How the times of the steps belong to that of the whole; empty where there is nothing to say.
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

  void refresh();
  void layOut();
  // What the times of the schedule before are multiplied by, to be of one kind with the current
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
  QRectF m_track;  // where segments lie
  double m_onceEnd = 0;
  double m_scale = 0;  // pixels a second
  QString m_summary, m_once, m_linear, m_change, m_note;
  bool m_isFaster = false;
};

}  // namespace thallo::gui
