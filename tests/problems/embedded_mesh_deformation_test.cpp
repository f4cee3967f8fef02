#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>

#include "core/base/mesh.h"
#include "problems/embedded_mesh_deformation/bar.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"

namespace thallo::embedded_mesh_deformation {
namespace {

MeshEdges edges_of(const Mesh& mesh) {
  return directed_edges(mesh.triangles, static_cast<std::int64_t>(mesh.positions.size()));
}

TEST(Bar, IsClosed) {
  for (const int across : {1, 2, 5}) {
    const Mesh bar = make_bar(across, {}).mesh;
    const MeshEdges edges = edges_of(bar);
    EXPECT_EQ(bar.positions.size() + bar.triangles.size() - edges.size() / 2, 2u) << across;
    for (std::size_t e = 0; e < edges.size(); ++e) EXPECT_GE(std::min(edges.v2[e], edges.v3[e]), 0);
    EXPECT_EQ(bar.colors.size(), bar.positions.size());
  }
}

// The rims hold; the right one turns about the middle of its end, which moves on an arc.
TEST(Bar, PullsTheRimsOfItsEnds) {
  const auto far_from_end = [](const BarPose& pose, const std::array<double, 3>& end) {
    const HandledMesh bar = make_bar(4, pose);
    EXPECT_EQ(bar.handles.size(), 2u * 16);
    double farthest = 0;
    for (const MeshHandle& handle : bar.handles) {
      const auto& from = bar.mesh.positions[static_cast<std::size_t>(handle.vertex)];
      const double radius = std::hypot(from[1], from[2]);
      const double from_end =
          std::hypot(handle.goal[0] - end[0], handle.goal[1] - end[1], handle.goal[2] - end[2]);
      if (from[0] < 0) {
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(handle.goal[c], double{from[c]});
      } else {
        farthest = std::max(farthest, std::abs(from_end - radius));
      }
    }
    return farthest;
  };
  EXPECT_LT(far_from_end({.twist = 0, .bend = 0}, {2, 0, 0}), 1e-6);
  EXPECT_LT(far_from_end({.twist = 45, .bend = 180}, {-2, 8 / 3.14159265358979, 0}), 1e-6);
}

// Nothing is bent at rest, so the cost is that of the handles.
TEST(EmbeddedMeshDeformation, StartsWithTheHandlesPulling) {
  const Options options = {{"across", 3}, {"solves", 4}, {"fit_weight", 9.0}};
  const test::Made made = test::make("embedded_mesh_deformation", options);
  const HandledMesh bar = make_bar(3, {});
  double sum = 0;
  for (const MeshHandle& handle : bar.handles) {
    const auto& from = bar.mesh.positions[static_cast<std::size_t>(handle.vertex)];
    for (std::size_t c = 0; c < 3; ++c) sum += std::pow((handle.goal[c] - double{from[c]}) / 4, 2);
  }
  EXPECT_GT(sum, 1);
  EXPECT_NEAR(test::cost_of(made) / (0.5 * 9.0 * sum), 1, 1e-9);
}

TEST(EmbeddedMeshDeformation, ReadsThePublishedRaptor) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/raptor_simplify2k.off");
  test::Made made = test::make("embedded_mesh_deformation", {{"file", file.string()}});
  using testing::Pair;
  EXPECT_THAT(made.instance.labels,
              testing::ElementsAre(Pair("vertices", "2000"), Pair("triangles", "4036"),
                                   Pair("edges", "6054"), Pair("handles", "11")));
  EXPECT_EQ(made.instance.binding.num_unknowns(made.energy), 12 * 2000);
  int solves = 1;
  while (*made.problem->advance(made.instance, solves - 1, {})) ++solves;
  EXPECT_EQ(solves, 31);
}

}  // namespace
}  // namespace thallo::embedded_mesh_deformation
