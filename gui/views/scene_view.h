// Meshes and point clouds side by side, seen from the same side. Dragging turns them, the wheel and
// + and − zoom, the arrow keys turn, 0 or a double click shows them as at first.
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>

#include "gui/models/scene_model.h"

namespace thallo::gui {

class SceneView final : public QWidget {
  Q_OBJECT

 public:
  explicit SceneView(QWidget* parent = nullptr);

  // The files of meshes, with their captions; one or several.
  void setMeshes(const QStringList& files, const QStringList& captions);
  const SceneCamera& camera() const { return m_camera; }
  void setCamera(const SceneCamera& camera);
  // Is the picture that of the camera?
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
  // At once as a draft, and well when nothing has changed for a moment.
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
