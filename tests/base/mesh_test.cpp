#include "core/base/mesh.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>

#include "core/base/mesh_faces.h"
#include "core/base/move_mesh.h"

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

TEST(DirectedEdges, KeepCornersOfDisagreeingOrientationsAndCountCrowdedEdges) {
  const std::vector<Triangle> square = {{0, 1, 2}, {1, 2, 3}};
  for (const Ring& ring : rings_of(directed_edges(square, 4))) {
    if (ring[0] + ring[1] != 3 || ring[0] * ring[1] == 0) continue;  // the shared edge 1 - 2
    EXPECT_EQ(ring[2] + ring[3], 3);
    EXPECT_EQ(ring[2] * ring[3], 0);
  }
  const std::vector<Triangle> book = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {2, 1, 5}};
  const MeshEdges edges = directed_edges(book, 6);
  EXPECT_THAT(edges.crowded, ElementsAre(CrowdedEdge{0, 1, 3}));
  EXPECT_EQ(crowding_text(edges.crowded, "triangles"),
            "the edge 0-1 has 3 triangles, of which two are kept");
  EXPECT_EQ(crowding_text({}, "triangles"), "");
  EXPECT_EQ(directed_edges({}, 5).size(), 0u);
  const std::vector<Triangle> no_area = {{1, 1, 1}};
  EXPECT_EQ(directed_edges(no_area, 2).size(), 0u);
}

TEST(FaceEdges, AreTheSidesOfPolygons) {
  Mesh house;  // a square with a roof, and a fin on the square's lowest side
  house.positions.resize(6);
  add_face(std::array{0, 1, 2, 3}, house);
  add_face(std::array{3, 2, 4}, house);
  add_face(std::array{1, 0, 5}, house);
  const FaceEdges edges = edges_of_faces(house);
  using Pair = std::array<std::int32_t, 2>;
  EXPECT_THAT(edges.ends, ElementsAre(Pair{0, 1}, Pair{0, 3}, Pair{0, 5}, Pair{1, 2}, Pair{1, 5},
                                      Pair{2, 3}, Pair{2, 4}, Pair{3, 4}));
  EXPECT_THAT(edges.faces, ElementsAre(Pair{0, 2}, Pair{0, -1}, Pair{2, -1}, Pair{0, -1},
                                       Pair{2, -1}, Pair{0, 1}, Pair{1, -1}, Pair{1, -1}));
  EXPECT_THAT(edges.of_faces,
              ElementsAre(ElementsAre(0, 3, 5, 1), ElementsAre(5, 6, 7), ElementsAre(0, 2, 4)));
  EXPECT_THAT(edges.crowded, testing::IsEmpty());
  add_face(std::array{0, 1, 4}, house);
  EXPECT_THAT(edges_of_faces(house).crowded, ElementsAre(CrowdedEdge{0, 1, 3}));
}

TEST(MovedMesh, MovedNormals) {
  Mesh square;
  square.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5}};
  square.triangles = {{0, 1, 2}, {0, 2, 3}};
  square.normals.assign(5, {0, 0, -1});  // against the order of the corners
  auto up = square.positions;
  for (auto& p : up) p = {p[0], -p[2], p[1]};
  const Mesh turned = with_positions(square, up);
  EXPECT_EQ(turned.normals[2], (std::array{0.0, 1.0, 0.0}));
  EXPECT_EQ(turned.normals[4], (std::array{0.0, 0.0, -1.0})) << "has no triangle";
  Mesh fold;  // two triangles that share an edge, each with a normal of its own
  fold.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  fold.triangles = {{0, 1, 2}, {0, 2, 3}};
  fold.corner_normals = {{{0, 0, 1}, {1, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 1, 2}}};
  auto positions = fold.positions;
  positions[3] = {-1, 0, 1};
  const Mesh opened = with_positions(fold, positions);
  const auto& [values, of] = opened.corner_normals;
  ASSERT_EQ(values.size(), 6u) << "one for each corner";
  for (const std::int32_t normal : of[0])
    EXPECT_EQ(values[static_cast<std::size_t>(normal)], (std::array{0.0, 0.0, 1.0}));
  for (const std::int32_t normal : of[1])
    EXPECT_NEAR(values[static_cast<std::size_t>(normal)][0], std::sqrt(0.5), 1e-15);
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
