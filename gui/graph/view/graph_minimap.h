// Shows the whole graph in a corner of its view, with a frame around the visible area. Clicking or
// dragging moves the view there. It is hidden while the view shows everything.
#pragma once

#include <QGraphicsView>
#include <QPixmap>
#include <QTimer>
#include <QWidget>

namespace thallo::gui {

class GraphMinimap final : public QWidget {
  Q_OBJECT

 public:
  // Becomes a child of the view, which must have a scene before redraw() is called.
  explicit GraphMinimap(QGraphicsView& view);

  // Must be called when the scene has changed.
  void redraw();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void refresh();
  void moveViewTo(QPointF position);
  QRectF shownByView() const;  // in scene coordinates
  double scale() const;        // pixels per unit of the scene

  QGraphicsView& m_view;
  QTimer m_soon;      // delays updates, since scroll bars signal before the view is done
  QPixmap m_picture;  // null until it is needed
};

}  // namespace thallo::gui
