#include <gmock/gmock.h>

#include <utility>

#include "core/base/io/bal.h"
#include "core/base/io/file.h"
#include "problems/bundle_adjustment/reconstruction.h"
#include "problems/bundle_adjustment/scene.h"
#include "problems/bundle_adjustment/scene_view.h"
#include "tests/support/data.h"

namespace thallo::bundle_adjustment {
namespace {

using testing::DoubleNear, testing::ElementsAre;

TEST(ReprojectionCost, IsHandComputable) {
  BalProblem problem;
  problem.cameras = {{0, 0, 0, 0, 0, -1, 100, 0, 0}};
  problem.points = {{0, 0, 0}, {0.1, 0.2, 0}};
  problem.observations = {{0, 0, 3, 4}, {0, 1, 10, 19}};  // residuals (3, 4) and (0, -1)
  EXPECT_DOUBLE_EQ(reconstruction_of(problem).cost(), 13);
  EXPECT_THAT(point_errors(reconstruction_of(problem)), ElementsAre(5, DoubleNear(1, 1e-12)));
}

// The initial costs of the data's index, computed independently of this project.
TEST(ReprojectionCost, IsThatOfTheRealProblems) {
  const std::pair<const char*, double> costs[] = {
      {"bal/dubrovnik-3-7-18-pre.txt", 2.753173947e+03},
      {"bal/dubrovnik-3-7-pre.txt", 2.764219984e+03},
      {"bal/dubrovnik-problem-16-22106-pre.txt.bz2", 4.185659518e+06},
      {"bal/ladybug-49-7776-pre-shrink-1800.txt.bz2", 2.345197986e+05},
      {"bal/ladybug-problem-49-7776-pre.txt.bz2", 8.509124607e+05},
      {"bal/trafalgar-problem-21-11315-pre.txt.bz2", 4.413239314e+06}};
  for (const auto& [name, cost] : costs) {
    THALLO_REQUIRE_DATA(file, name);
    auto problem = read_as<parse_bal>(file);
    ASSERT_TRUE(problem) << problem.error().message();
    EXPECT_NEAR(reconstruction_of(*problem).cost() / cost, 1.0, 5e-10) << name;
    sort_observations(*problem);
    EXPECT_NEAR(reconstruction_of(*problem).cost() / cost, 1.0, 5e-10) << name << " sorted";
  }
}

TEST(SceneView, MeshHasPointsAndCameras) {
  const auto scene = generate_scene({.num_cameras = 5, .num_points = 40, .mean_track_length = 3});
  ASSERT_TRUE(scene);
  const Mesh mesh = make_scene_mesh(reconstruction_of(scene->problem));
  EXPECT_EQ(mesh.positions.size(), 40u + 5 * 5);
  EXPECT_EQ(mesh.colors.size(), mesh.positions.size());
  EXPECT_EQ(mesh.triangles.size(), 5u * 6);
  for (const auto& triangle : mesh.triangles) {
    for (const std::int32_t corner : triangle) {
      EXPECT_GE(corner, 40);
      EXPECT_LT(corner, 65);
    }
  }
}

// A camera that is far away, as one whose focal length has no limit, does not shrink the others.
TEST(SceneView, DrawsBothScenes) {
  auto scene = generate_scene({.num_cameras = 8, .num_points = 200, .mean_track_length = 3});
  ASSERT_TRUE(scene);
  for (const double away : {0.0, 1e7}) {
    scene->problem.cameras.front()[5] -= away;
    const Image image =
        draw_scenes(reconstruction_of(scene->problem), reconstruction_of(scene->problem));
    for (const int begin : {0, image.width / 2 + 4}) {
      int inked = 0;
      for (int y = 0; y < image.height; ++y) {
        for (int x = begin; x < begin + image.width / 2 - 4; ++x) inked += image.at(x, y, 1) < 0.9f;
      }
      EXPECT_GT(inked, 500) << away;
    }
  }
}

}  // namespace
}  // namespace thallo::bundle_adjustment
