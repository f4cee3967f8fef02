#include "core/base/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

namespace thallo {
namespace {

using testing::ElementsAre;
using Ring = std::array<std::int32_t, 4>;

std::vector<Ring> rings_of(const MeshEdges& edges) {
  std::vector<Ring> rings;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    rings.push_back({edges.v0[e], edges.v1[e], edges.v2[e], edges.v3[e]});
  }
  return rings;
}

TEST(DirectedEdges, OfTwoTrianglesAreSortedAndEndAtTheBorder) {
  // 2 - 3
  // | \ |
  // 0 - 1
  const std::vector<Triangle> square = {{0, 1, 2}, {1, 3, 2}};
  EXPECT_THAT(rings_of(directed_edges(square, 4)),
              ElementsAre(Ring{0, 1, -1, 2}, Ring{0, 2, 1, -1}, Ring{1, 0, 2, -1}, Ring{1, 2, 3, 0},
                          Ring{1, 3, -1, 2}, Ring{2, 0, -1, 1}, Ring{2, 1, 0, 3}, Ring{2, 3, 1, -1},
                          Ring{3, 1, 2, -1}, Ring{3, 2, -1, 1}));
}

TEST(DirectedEdges, OfAClosedMeshGoAroundEveryVertex) {
  const std::vector<Triangle> tetrahedron = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const MeshEdges edges = directed_edges(tetrahedron, 4);
  ASSERT_EQ(edges.size(), 12u);
  for (const Ring& ring : rings_of(edges)) {
    EXPECT_EQ(std::set<std::int32_t>(ring.begin(), ring.end()).size(), 4u);
    // v1 follows v2 around v0: (v0, v2, v1) is a triangle.
    int found = 0;
    for (const Triangle& t : tetrahedron) {
      for (std::size_t k = 0; k < 3; ++k) {
        found += t[k] == ring[0] && t[(k + 1) % 3] == ring[2] && t[(k + 2) % 3] == ring[1];
      }
    }
    EXPECT_EQ(found, 1);
  }
}

TEST(DirectedEdges, KeepTwoCornersWhereOrientationsDisagree) {
  const std::vector<Triangle> square = {{0, 1, 2}, {1, 2, 3}};
  for (const Ring& ring : rings_of(directed_edges(square, 4))) {
    if (ring[0] + ring[1] != 3 || ring[0] * ring[1] == 0) continue;  // the shared edge 1 - 2
    EXPECT_EQ(ring[2] + ring[3], 3);
    EXPECT_EQ(ring[2] * ring[3], 0);
  }
}

TEST(DirectedEdges, OfVerticesWithoutTrianglesAreNone) {
  EXPECT_EQ(directed_edges({}, 5).size(), 0u);
  const std::vector<Triangle> no_area = {{1, 1, 1}};
  EXPECT_EQ(directed_edges(no_area, 2).size(), 0u);
}

TEST(VertexNormals, AreMeansOverTheTriangles) {
  const std::vector<std::array<double, 3>> positions = {
      {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 9, 9}};
  const std::vector<Triangle> corner = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}};
  const auto normals = vertex_normals(corner, positions);
  const double third = 1 / std::sqrt(3.0);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_DOUBLE_EQ(normals[0][c], third);
  EXPECT_EQ(normals[4], (std::array<double, 3>{0, 0, 0}));
}

TEST(MeshPositions, AreCoordinatesInABox) {
  const std::vector<std::array<double, 3>> positions = {{1, 2, 3}, {1, 5, 7}, {1, 4, 4}};
  EXPECT_DOUBLE_EQ(diagonal(positions), 5);
  EXPECT_EQ(diagonal({}), 0);
  EXPECT_THAT(coordinates(positions), ElementsAre(1, 2, 3, 1, 5, 7, 1, 4, 4));
  EXPECT_EQ(positions_from(coordinates(positions)), positions);
}

}  // namespace
}  // namespace thallo
