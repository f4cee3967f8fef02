#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <variant>
#include <vector>

#include "core/language/load_energy.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/files/data_part.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

TEST(MeshParts, RingsOfATriangleMeshAreOfItsEdges) {
  const test::TempDir dir;
  const auto file = read_data_file(
      dir.write("square.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"));
  ASSERT_TRUE(file) << file.error().message();
  const PartReader parts(*file, 1);
  EXPECT_THAT(parts.select("edges.0")->values, ElementsAre(0, 0, 0, 1, 2));
  EXPECT_THAT(parts.select("edges.1")->values, ElementsAre(1, 2, 3, 2, 3));
  EXPECT_EQ(parts.select("rings.0")->values, parts.select("directed_edges.0")->values);
  EXPECT_THAT(parts.select("rings.3")->values, ElementsAre(2, 3, -1, -1, 0, 1, -1, 0, 2, -1));
}

// A pentagon and a triangle on one of its sides.
constexpr const char* House =
    "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 2 0\nv -1 1 0\nv 1 -1 0\nf 1 2 3 4 5\nf 2 1 6\n";

TEST(MeshParts, EdgesAndFacesOfAMeshAreThoseOfItsFile) {
  const test::TempDir dir;
  const auto file = read_data_file(dir.write("house.obj", House));
  ASSERT_TRUE(file) << file.error().message();
  const PartReader parts(*file, 1);
  const auto values = [&](const char* selection) { return parts.select(selection)->values; };
  EXPECT_THAT(values("edges.0"), ElementsAre(0, 0, 0, 1, 1, 2, 3));
  EXPECT_THAT(values("edges.1"), ElementsAre(1, 4, 5, 2, 5, 3, 4));
  EXPECT_THAT(values("diagonals"), ElementsAre(0, 2, 0, 3));
  EXPECT_EQ(values("directed_edges.0").size(), 14u);
  EXPECT_EQ(values("rings.0").size(), 18u) << "of triangles";
  EXPECT_THAT(values("edge_faces.0"), ElementsAre(0, 0, 1, 0, 1, 0, 0));
  EXPECT_THAT(values("edge_faces.1"), ElementsAre(1, -1, -1, -1, -1, -1, -1));
  EXPECT_EQ(parts.select("edge_faces.1")->num_targets, 2);
  EXPECT_THAT(values("faces"), ElementsAre(0, 1, 2, 3, 4, 1, 0, 5, -1, -1));
  EXPECT_THAT(values("face_edges"), ElementsAre(0, 3, 5, 6, 1, 0, 2, 4, -1, -1));
  EXPECT_THAT(values("vertex_edges"),
              ElementsAre(0, 1, 2, 0, 3, 4, 3, 5, -1, 5, 6, -1, 1, 6, -1, 2, 4, -1));
  EXPECT_THAT(values("vertex_faces.1"), ElementsAre(1, 1, -1, -1, -1, -1));
  // Over two dims the columns are the first one.
  const auto table = PartReader(*file, 2).select("vertex_edges");
  EXPECT_THAT(table->extents, ElementsAre(3, 6));
  EXPECT_EQ(table->values, values("vertex_edges"));
  EXPECT_EQ(table->num_targets, 7);
}

TEST(MeshParts, SaysThatRingsKeepTwoTrianglesOfAnEdge) {
  const test::TempDir dir;
  const auto file =
      read_data_file(dir.write("book.off",
                               "OFF\n5 3\n0 0 0\n1 0 0\n0 1 0\n0 -1 0\n0 0 1\n3 0 1 2\n3 1 0 3\n"
                               "3 0 1 4\n"));
  ASSERT_TRUE(file) << file.error().message();
  const PartReader parts(*file, 1);
  EXPECT_THAT(
      parts.select("rings.2")->warning,
      testing::EndsWith("book.off:rings: the edge 0-1 has 3 triangles, of which two are kept"));
  EXPECT_THAT(parts.select("edge_faces.1")->warning, HasSubstr("the edge 0-1 has 3 faces"));
  EXPECT_EQ(parts.select("edges.0")->warning, "");
  // A solve says it once.
  const auto energy = load_energy_text(
      "local N, E = Dims('N', 'E')\nInputs { X = Unknown(float, N), V0 = Sparse({E}, {N}),\n"
      "V2 = Sparse({E}, {N}, {optional = true}) }\nResiduals { r = X(V0(E())) + X(V2(E())) }",
      "rings.lua");
  const std::string book = file->path.string();
  const auto bound =
      bind_inputs(energy->energy,
                  std::vector<SourceText>{{"V0", book + ":rings.0"}, {"V2", book + ":rings.2"}});
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_EQ(bound->warnings.size(), 1u);
}

TEST(MeshParts, NewPositionsMakeNormalsNew) {
  const test::TempDir dir;
  auto file =
      read_data_file(dir.write("quad.obj",
                               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl red\n"
                               "f 1/1/1 2/1/1 3/1/1 4/1/1\n"));
  ASSERT_TRUE(file) << file.error().message();
  const auto& mesh = std::get<Mesh>(file->content);
  ASSERT_TRUE(put(*file, "positions", 1, {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1}));
  EXPECT_THAT(mesh.normals, testing::Each(ElementsAre(0, -1, 0)));
  EXPECT_THAT(mesh.fans, ElementsAre(2));
  EXPECT_EQ(mesh.texture.of.size(), 2u);
  EXPECT_THAT(mesh.statements, ElementsAre(MeshStatement{0, "usemtl red"}));
  // Normals that are solved for are those.
  ASSERT_TRUE(put(*file, "normals.y", 1, {1, 1, 1, 1}));
  EXPECT_THAT(mesh.normals, testing::Each(ElementsAre(0, 1, 0)));
}

// As many columns as the hub has edges would be 10 billion numbers.
TEST(MeshParts, RefusesATableOfAHub) {
  const test::TempDir dir;
  constexpr int Spokes = 100'000;
  std::string text = fmt::format("OFF\n{} {}\n", Spokes + 1, Spokes);
  for (int i = 0; i <= Spokes; ++i) text += fmt::format("{} 0 0\n", i);
  for (int i = 0; i < Spokes; ++i) text += fmt::format("3 0 {} {}\n", i + 1, (i + 1) % Spokes + 1);
  const auto file = read_data_file(dir.write("hub.off", text));
  ASSERT_TRUE(file) << file.error().message();
  const PartReader parts(*file, 1);
  EXPECT_THAT(parts.select("vertex_edges.0").error().message(), HasSubstr("100000"));
  EXPECT_EQ(parts.select("edge_faces.0")->num_elements(), std::size_t{2 * Spokes});
}

}  // namespace
}  // namespace thallo
