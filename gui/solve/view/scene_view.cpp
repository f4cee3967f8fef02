#include "gui/solve/view/scene_view.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr auto Rest = std::chrono::milliseconds(120);
constexpr double DegreesOfAPixel = 0.5;
constexpr double KeyDegrees = 10;
constexpr double SteepestPitch = 89;
constexpr double SmallestZoom = 0.2, LargestZoom = 50;
constexpr double ZoomOfAStep = 1.2;  // of the wheel, and of a key

}  // namespace

SceneView::SceneView() {
  named(this, "sceneView", tr("Meshes and point clouds of the run, to be turned"));
  setToolTip(tr("Drag to turn, wheel to zoom, double click to see all"));
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 120);
  setCursor(Qt::OpenHandCursor);
  m_rest.setSingleShot(true);
  m_rest.setInterval(Rest);
  connect(&m_rest, &QTimer::timeout, this, [this] { draw(false); });
  connect(&m_scene, &SceneModel::sceneChanged, this, [this] {
    m_picture = {};
    m_isStale = m_scene.scene().state == RemoteState::Busy;
    if (m_scene.scene().isReady()) redraw();
    update();
  });
  connect(&m_scene, &SceneModel::drawn, this, [this](const QImage& picture, bool isDraft) {
    m_picture = picture;
    m_isStale = isDraft || m_rest.isActive();
    update();
  });
}

void SceneView::setMeshes(const QStringList& files, const QStringList& captions) {
  m_captions = captions;
  m_scene.show(files);
  update();
}

void SceneView::setCamera(const SceneCamera& camera) {
  SceneCamera legal = camera;
  legal.yaw = std::remainder(camera.yaw, 360);
  legal.pitch = std::clamp(camera.pitch, -SteepestPitch, SteepestPitch);
  legal.zoom = std::clamp(camera.zoom, SmallestZoom, LargestZoom);
  if (legal == m_camera) return;
  m_camera = legal;
  redraw();
}

void SceneView::redraw() {
  m_isStale = true;
  m_rest.start();
  draw(true);
}

void SceneView::draw(bool isDraft) {
  const double pixels = panelSize() * devicePixelRatioF();
  m_scene.draw({m_camera, static_cast<int>(pixels), isDraft});
}

int SceneView::panelSize() const {
  const auto& scene = m_scene.scene().value;
  const int numPanels = scene ? std::max(1, static_cast<int>(scene->size())) : 1;
  return std::min(width() / numPanels, height());
}

void SceneView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (m_picture.isNull()) {
    const auto& scene = m_scene.scene();
    painter.setPen(ink(scene.state == RemoteState::Failed ? Ink::Bad : Ink::Muted));
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                     scene.state == RemoteState::Failed ? scene.error
                     : scene.state == RemoteState::Busy ? tr("Reading the meshes …")
                                                        : tr("The problem writes no meshes."));
    return;
  }
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const int panel = panelSize();
  const int numPanels = m_picture.width() / std::max(1, m_picture.height());
  const QRect area((width() - numPanels * panel) / 2, (height() - panel) / 2, numPanels * panel,
                   panel);
  painter.drawImage(area, m_picture);
  painter.setPen(QColor(90, 90, 90));  // on the picture's white background
  for (int i = 0; i < std::min<int>(numPanels, static_cast<int>(m_captions.size())); ++i) {
    const QRect label(area.left() + i * panel + 8, area.bottom() - fontMetrics().height() - 6,
                      panel - 16, fontMetrics().height());
    painter.drawText(label, Qt::AlignHCenter,
                     fontMetrics().elidedText(m_captions[i], Qt::ElideRight, label.width()));
  }
}

void SceneView::resizeEvent(QResizeEvent* /*event*/) { redraw(); }

void SceneView::mousePressEvent(QMouseEvent* event) { m_pressedAt = event->position(); }

void SceneView::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton)) return;
  const QPointF moved = event->position() - m_pressedAt;
  m_pressedAt = event->position();
  setCamera({m_camera.yaw - DegreesOfAPixel * moved.x(),
             m_camera.pitch + DegreesOfAPixel * moved.y(), m_camera.zoom});
}

void SceneView::mouseDoubleClickEvent(QMouseEvent* /*event*/) { setCamera({}); }

void SceneView::wheelEvent(QWheelEvent* event) {
  constexpr double StepAngle = 120;
  SceneCamera camera = m_camera;
  camera.zoom *= std::pow(ZoomOfAStep, event->angleDelta().y() / StepAngle);
  setCamera(camera);
  event->accept();
}

void SceneView::keyPressEvent(QKeyEvent* event) {
  SceneCamera camera = m_camera;
  switch (event->key()) {
    case Qt::Key_Left: camera.yaw += KeyDegrees; break;
    case Qt::Key_Right: camera.yaw -= KeyDegrees; break;
    case Qt::Key_Up: camera.pitch -= KeyDegrees; break;
    case Qt::Key_Down: camera.pitch += KeyDegrees; break;
    case Qt::Key_Plus: camera.zoom *= ZoomOfAStep; break;
    case Qt::Key_Minus: camera.zoom /= ZoomOfAStep; break;
    case Qt::Key_0: camera = {}; break;
    default: return QWidget::keyPressEvent(event);
  }
  setCamera(camera);
}

}  // namespace thallo::gui
