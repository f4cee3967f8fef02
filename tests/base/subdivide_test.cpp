#include "core/base/subdivide.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "core/base/mesh.h"

namespace thallo {
namespace {

TEST(Sqrt3, TriplesTheTrianglesOfAClosedMesh) {
  Mesh tetrahedron;
  tetrahedron.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetrahedron.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const Mesh fine = subdivide_sqrt3(tetrahedron);
  EXPECT_EQ(fine.positions.size(), 8u);
  EXPECT_EQ(fine.triangles.size(), 12u);
  const MeshEdges edges =
      directed_edges(fine.triangles, static_cast<std::int64_t>(fine.positions.size()));
  EXPECT_EQ(edges.size(), 2u * 18) << "Euler: V - E + F = 2";
  for (std::size_t e = 0; e < edges.size(); ++e) {
    EXPECT_GE(edges.v2[e], 0) << "every edge has two triangles";
    EXPECT_GE(edges.v3[e], 0);
  }
}

TEST(Sqrt3, KeepsTheBorderAndTheOrientation) {
  Mesh square;
  square.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  square.triangles = {{0, 1, 2}, {1, 3, 2}};
  const Mesh fine = subdivide_sqrt3(square);
  EXPECT_EQ(fine.positions.size(), 6u);
  EXPECT_EQ(fine.triangles.size(), 6u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(fine.positions[i], square.positions[i]);
  for (const auto& normal : vertex_normals(fine.triangles, fine.positions)) {
    EXPECT_FLOAT_EQ(normal[2], 1);
  }
}

}  // namespace
}  // namespace thallo
