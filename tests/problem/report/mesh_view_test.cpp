#include "core/problem/report/mesh_view.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(MeshView, ShowsTheSurfaceInFrontInBothPanels) {
  // A blue square behind a red one of half the size.
  Mesh mesh;
  mesh.positions = {{-1, -1, 0},       {1, -1, 0},       {1, 1, 0},       {-1, 1, 0},
                    {-0.5f, -0.5f, 1}, {0.5f, -0.5f, 1}, {0.5f, 0.5f, 1}, {-0.5f, 0.5f, 1}};
  mesh.colors.assign(4, {0, 0, 255});
  mesh.colors.insert(mesh.colors.end(), 4, {255, 0, 0});
  mesh.triangles = {{4, 5, 6}, {4, 6, 7}, {0, 1, 2}, {0, 2, 3}};
  const MeshPanel panels[] = {{mesh, {}}, {mesh, {}}};
  const Image image = draw_meshes(panels, {.from = {0, 0, 1}, .size = 60, .show_edges = false});
  ASSERT_EQ(image.width, 120);
  ASSERT_EQ(image.height, 60);
  for (const int center : {30, 90}) {
    EXPECT_GT(image.at(center, 30, 0), 0.4f) << "red";
    EXPECT_EQ(image.at(center, 30, 2), 0);
    EXPECT_GT(image.at(center + 20, 30, 2), 0.4f) << "blue";
    EXPECT_EQ(image.at(center + 20, 30, 0), 0);
    EXPECT_EQ(image.at(center + 29, 30, 0), 1) << "white";
  }
}

}  // namespace
}  // namespace thallo
