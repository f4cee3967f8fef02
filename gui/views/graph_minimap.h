// All of the graph in a corner of its view, with a frame around what the view shows. A click or a
// drag moves the view there. It is hidden while the view shows everything.
#pragma once

#include <QGraphicsView>
#include <QPixmap>
#include <QTimer>
#include <QWidget>

namespace thallo::gui {

class GraphMinimap final : public QWidget {
  Q_OBJECT

 public:
  // Lies in the view, which must have a scene before redraw().
  explicit GraphMinimap(QGraphicsView& view);

  // The scene is another.
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
  QRectF shownByView() const;  // in the scene
  double scale() const;        // pixels a unit of the scene

  QGraphicsView& m_view;
  QTimer m_soon;      // scroll bars tell of a change before the view has made all of it
  QPixmap m_picture;  // null until it is needed
};

}  // namespace thallo::gui
