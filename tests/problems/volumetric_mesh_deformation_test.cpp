#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/mesh.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/volumetric_mesh_deformation/lattice.h"
#include "problems/volumetric_mesh_deformation/queen.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::volumetric_mesh_deformation {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// A box from (0, 0, 0) to (2, 3, 4) with a point inside.
Mesh box_corners() {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {2, 3, 4}, {0.5, 1, 3}};
  return mesh;
}

Lattice lattice_of_box() { return lattice_around("box", box_corners(), {2, 3, 1}).value(); }

TEST(Lattice, HasItsNodesOnTheBoundingBoxAndTurnsItsHighestLayer) {
  const Lattice lattice = lattice_of_box();
  const std::vector<double> nodes = nodes_of(lattice);
  ASSERT_EQ(nodes.size(), 3u * 3 * 4 * 2);
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::size_t n = 3 * lattice.node(x, y, z);
    return std::vector<double>{nodes[n], nodes[n + 1], nodes[n + 2]};
  };
  EXPECT_THAT(at(0, 0, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(at(1, 2, 1), ElementsAre(1, 2, 4));
  EXPECT_THAT(at(2, 3, 0), ElementsAre(2, 3, 0));
  EXPECT_EQ(edges_of(lattice).v0.size(), 2u * 4 * 2 + 3u * 3 * 2 + 3u * 4 * 1);
  const std::vector<double> goals = pull_ends(lattice, {.turn = -90, .shift = {10, 20, 30}});
  const std::size_t low = 3 * lattice.node(2, 0, 1);
  EXPECT_EQ(goals[low], 2);
  EXPECT_TRUE(std::isinf(goals[3 * lattice.node(1, 1, 0)]));
  const std::size_t high = 3 * lattice.node(2, 3, 1);  // (2, 3, 4)
  EXPECT_NEAR(goals[high], 3 + 10, 1e-12);
  EXPECT_NEAR(goals[high + 1], -2 + 20, 1e-12);
  EXPECT_NEAR(goals[high + 2], 4 + 30, 1e-12);
}

TEST(Lattice, CarriesPointsAsAffineMapsDo) {
  const Lattice lattice = lattice_of_box();
  std::vector<double> nodes = nodes_of(lattice);
  const auto moved = [](double x, double y, double z) {
    return std::array<double, 3>{2 * x + y + 1, y - z, 3 * z + x};
  };
  for (std::size_t n = 0; n < nodes.size(); n += 3) {
    const auto to = moved(nodes[n], nodes[n + 1], nodes[n + 2]);
    std::copy(to.begin(), to.end(), nodes.begin() + static_cast<std::ptrdiff_t>(n));
  }
  const Mesh mesh = box_corners();
  const auto carried = carry(lattice, nodes, mesh.positions);
  for (std::size_t v = 0; v < carried.size(); ++v) {
    const auto& p = mesh.positions[v];
    const auto to = moved(p[0], p[1], p[2]);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(carried[v][c], to[c], 1e-5) << v;
  }
}

TEST(Queen, IsClosed) {
  const Mesh queen = make_queen(16);
  const MeshEdges edges =
      directed_edges(queen.triangles, static_cast<std::int64_t>(queen.positions.size()));
  EXPECT_EQ(queen.positions.size() + queen.triangles.size() - edges.size() / 2, 2u);
  for (std::size_t e = 0; e < edges.size(); ++e) EXPECT_GE(std::min(edges.v2[e], edges.v3[e]), 0);
}

// Two rows by three numbers for each neighbor, own angles (three each) included.
TEST(VolumetricMeshDeformation, HasThePublishedSizes) {
  const test::Made made = test::make("volumetric_mesh_deformation", {});
  EXPECT_EQ(made.instance.binding.num_unknowns(made.energy), 6 * 6 * 21 * 6);
  EXPECT_EQ(made.instance.binding.num_residuals(made.energy), (3 + 18) * 6 * 21 * 6);
}

// At rest nothing is bent, so the cost is that of the highest layer's way.
TEST(VolumetricMeshDeformation, StartsWithItsHighestLayerPulled) {
  const test::Made made = test::make("volumetric_mesh_deformation", {{"turn", 0.0},
                                                                     {"shift_x", 1.0},
                                                                     {"shift_y", 2.0},
                                                                     {"shift_z", 2.0},
                                                                     {"fit_weight", 4.0},
                                                                     {"cells_x", 2},
                                                                     {"cells_y", 3},
                                                                     {"cells_z", 4}});
  EXPECT_NEAR(test::cost_of(made), 0.5 * 4.0 * 9 * (3 * 5), 1e-9);
}

TEST(VolumetricMeshDeformation, SaysWhatIsWrongWithItsMesh) {
  const test::TempDir folder;
  const auto flat = folder.write("flat.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_THAT(test::error_of("volumetric_mesh_deformation", {{"file", flat.string()}}),
              testing::AllOf(HasSubstr("flat.off"), HasSubstr("no extent along z")));
  EXPECT_THAT(test::error_of("volumetric_mesh_deformation", {{"cells_y", 0}}),
              HasSubstr("cells_y"));
}

TEST(VolumetricMeshDeformation, ReadsThePublishedHead) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/head.ply");
  const test::Made made = test::make("volumetric_mesh_deformation", {{"file", file.string()}});
  EXPECT_THAT(made.instance.labels,
              ElementsAre(testing::Pair("vertices", "689"), testing::Pair("nodes", "6 x 21 x 6")));
}

}  // namespace
}  // namespace thallo::volumetric_mesh_deformation
