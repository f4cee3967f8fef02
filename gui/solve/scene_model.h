// Renders the meshes and point clouds of a run's report from any direction. A separate thread reads
// files and draws pictures. If cameras change faster than pictures are drawn, only the last one
// counts.
#pragma once

#include <optional>
#include <vector>

#include <QImage>
#include <QObject>
#include <QStringList>

#include "core/problem/report/mesh_view.h"
#include "gui/base/remote.h"
#include "gui/jobs/job_runner.h"

namespace thallo::gui {

// The scene is rotated by `yaw` around the vertical axis, and seen from above by `pitch`.
struct SceneCamera {
  double yaw = 24, pitch = 18;  // degrees
  double zoom = 1;

  friend bool operator==(const SceneCamera&, const SceneCamera&) = default;
};

class SceneModel final : public QObject {
  Q_OBJECT

 public:
  SceneModel();

  // Reads one or several files, which are shown side by side. An empty list shows nothing.
  void show(const QStringList& files);
  using Scene = std::vector<MeshPanel>;
  const Remote<Scene>& scene() const { return m_scene; }

  // Draws the current meshes, each in a square of `size` pixels. A draft is faster.
  struct Drawing {
    SceneCamera camera;
    int size = 0;
    bool isDraft = false;
  };
  void draw(const Drawing& drawing);

 Q_SIGNALS:
  void sceneChanged();
  void drawn(const QImage& picture, bool isDraft);

 private:
  void drawNext();

  JobRunner m_runner;
  QStringList m_files;
  Remote<Scene> m_scene;
  std::optional<Drawing> m_wanted;  // to be drawn once the current drawing is done
};

}  // namespace thallo::gui
