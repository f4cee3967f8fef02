#include "core/problem/report/mesh_view.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(MeshView, ShowsTheSurfaceInFrontInBothPanels) {
  // A blue square behind a red one of half the size.
  Mesh mesh;
  mesh.positions = {{-1, -1, 0},     {1, -1, 0},     {1, 1, 0},     {-1, 1, 0},
                    {-0.5, -0.5, 1}, {0.5, -0.5, 1}, {0.5, 0.5, 1}, {-0.5, 0.5, 1}};
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

// A point cloud of a red and a blue point, and one that is far out among a thousand.
TEST(MeshView, DrawsPointCloudsAsDots) {
  Mesh cloud;
  cloud.positions.assign(500, {-1, 0, 0});
  cloud.positions.insert(cloud.positions.end(), 500, {1, 0, 0});
  cloud.positions.push_back({1e6, 1e6, 0});
  cloud.colors.assign(500, {255, 0, 0});
  cloud.colors.insert(cloud.colors.end(), 501, {0, 0, 255});
  const MeshPanel panels[] = {{cloud, {}}};
  const Image image = draw_meshes(panels, {.from = {0, 0, 1}, .size = 100});
  EXPECT_GT(image.at(5, 50, 0) - image.at(5, 50, 2), 0.8f) << "red at the left";
  EXPECT_GT(image.at(95, 50, 2) - image.at(95, 50, 0), 0.8f) << "blue at the right";
  EXPECT_EQ(image.at(50, 50, 0), 1) << "white";
  const Image nearer = draw_meshes(panels, {.from = {0, 0, 1}, .size = 100, .zoom = 0.5});
  EXPECT_EQ(nearer.at(5, 50, 2), 1);
  EXPECT_LT(nearer.at(27, 50, 2), 0.3f);
}

}  // namespace
}  // namespace thallo
