// Meshes and point clouds of a run's report, drawn from any side. Files are read and pictures
// drawn on a thread of their own; of cameras that come faster than pictures are drawn, only
// the last counts.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QImage>
#include <QObject>
#include <QStringList>

#include "core/problem/report/mesh_view.h"
#include "gui/jobs/job_runner.h"
#include "gui/models/remote.h"

namespace thallo::gui {

// Turns around the vertical axis by `yaw`, and looks down by `pitch`.
struct SceneCamera {
  double yaw = 24, pitch = 18;  // degrees
  double zoom = 1;

  friend bool operator==(const SceneCamera&, const SceneCamera&) = default;
};

class SceneModel final : public QObject {
  Q_OBJECT

 public:
  explicit SceneModel(QObject* parent = nullptr);

  // Reads one file or several, to be shown side by side. Empty for none.
  void show(const QStringList& files);
  using Scene = std::vector<MeshPanel>;
  const Remote<Scene>& scene() const { return m_scene; }

  // Draws what is shown, each mesh in a square of `size` pixels. A draft is drawn quicker.
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
  std::optional<Drawing> m_wanted;  // when the drawing under way is done
};

}  // namespace thallo::gui
