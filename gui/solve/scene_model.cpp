#include "gui/solve/scene_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/io/mesh.h"
#include "gui/base/picture_file.h"

namespace thallo::gui {
namespace {

Expected<SceneModel::Scene> readScene(const QStringList& files) {
  SceneModel::Scene scene;
  for (const QString& file : files) {
    THALLO_TRY(auto mesh, read_mesh(file.toStdString()));
    scene.push_back({std::move(mesh), {}});
  }
  return scene;
}

MeshView viewOf(const SceneModel::Drawing& drawing) {
  const double yaw = drawing.camera.yaw * std::numbers::pi / 180;
  const double pitch = drawing.camera.pitch * std::numbers::pi / 180;
  return {
      .from = {std::sin(yaw) * std::cos(pitch), std::sin(pitch), std::cos(yaw) * std::cos(pitch)},
      .size = drawing.size,
      .samples = drawing.isDraft ? 1 : 3,
      .zoom = drawing.camera.zoom};
}

}  // namespace

SceneModel::SceneModel() : m_runner(1) {}

void SceneModel::show(const QStringList& files) {
  if (files == m_files) return;
  m_files = files;
  m_wanted.reset();
  m_runner.cancel("draw");
  m_runner.cancel("read");
  m_scene = {};
  if (!files.isEmpty()) {
    m_scene = m_scene.busy();
    m_runner.start(
        "read", [files](const std::stop_token&) { return readScene(files); },
        [this](Expected<Scene> scene) {
          m_scene = m_scene.next(std::move(scene));
          Q_EMIT sceneChanged();
        });
  }
  Q_EMIT sceneChanged();
}

void SceneModel::draw(const Drawing& drawing) {
  if (!m_scene.isReady() || drawing.size <= 0) return;
  m_wanted = drawing;
  if (!m_runner.isBusy("draw")) drawNext();
}

void SceneModel::drawNext() {
  const Drawing drawing = *std::exchange(m_wanted, {});
  m_runner.start(
      "draw",
      [scene = m_scene.value, drawing](const std::stop_token&) -> Expected<QImage> {
        return toQImage(draw_meshes(*scene, viewOf(drawing)));
      },
      [this, drawing](const Expected<QImage>& picture) {
        if (picture) Q_EMIT drawn(*picture, drawing.isDraft);
        if (m_wanted) drawNext();
      });
}

}  // namespace thallo::gui
