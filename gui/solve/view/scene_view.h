// Shows meshes and point clouds side by side, from the same direction. Dragging rotates them; the
// wheel and the keys + and − zoom; the arrow keys rotate; 0 or a double click restores the first
// view.
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>

#include "gui/solve/scene_model.h"

namespace thallo::gui {

class SceneView final : public QWidget {
  Q_OBJECT

 public:
  SceneView();

  // Shows one or several meshes, with their captions.
  void setMeshes(const QStringList& files, const QStringList& captions);
  const SceneCamera& camera() const { return m_camera; }
  void setCamera(const SceneCamera& camera);
  // True if the picture shows the current camera.
  bool isSettled() const { return !m_isStale; }
  const QImage& picture() const { return m_picture; }
  const QString& fault() const { return m_scene.scene().error; }
  QSize sizeHint() const override { return {420, 320}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  // Draws a draft at once, and the final picture when nothing has changed for a moment.
  void redraw();
  void draw(bool isDraft);
  int panelSize() const;  // in pixels of the widget

  SceneModel m_scene;
  QStringList m_captions;
  SceneCamera m_camera;
  QImage m_picture;
  bool m_isStale = false;
  QTimer m_rest;
  QPointF m_pressedAt;
};

}  // namespace thallo::gui
