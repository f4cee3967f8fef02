// Shows what a run made of its data: the pictures of its report, two on top of each other, or its
// meshes and point clouds, which can be rotated.
#pragma once

#include <QComboBox>
#include <QStackedWidget>
#include <QToolButton>

#include "gui/solve/solve_data.h"
#include "gui/solve/view/image_compare.h"
#include "gui/solve/view/scene_view.h"

namespace thallo::gui {

class RunPictures final : public QWidget {
 public:
  RunPictures();

  // Null means no run. The selection is kept as long as the run has the same files.
  void show(const SolveRun* run);
  bool isSettled() const { return m_stack->currentWidget() != m_scene || m_scene->isSettled(); }

 private:
  void fill();
  void refresh();
  bool showsMeshes() const { return m_stack->currentWidget() == m_scene; }
  const std::vector<ReportItem>& files() const { return showsMeshes() ? m_meshes : m_pictures; }

  std::vector<ReportItem> m_pictures, m_meshes;
  QToolButton *m_asPictures, *m_asMeshes;
  QComboBox *m_first, *m_second;
  QStackedWidget* m_stack;
  ImageCompare* m_images;
  SceneView* m_scene;
};

}  // namespace thallo::gui
