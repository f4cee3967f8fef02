#include "core/base/io/mesh.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/obj.h"
#include "core/base/io/off.h"
#include "core/base/io/stl.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

Mesh make_square() {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.25}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

Mesh make_full_square() {
  Mesh mesh = make_square();
  mesh.normals = {{0, 0, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  mesh.colors = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.125, 0.5, 0.75}};
  mesh.color_type = "float";
  return mesh;
}

std::string fault_of(const Expected<Mesh>& mesh) {
  return mesh ? "no error" : mesh.error().message();
}

TEST(Mesh, RoundTripsInEveryFormatWithTheDigitsOfPlacesOnEarth) {
  const test::TempDir dir;
  for (const char* name : {"a.ply", "a.off", "a.obj", "A.OBJ", "a.off.gz", "a.obj.xz"}) {
    for (const Mesh& mesh : {make_square(), make_full_square()}) {
      ASSERT_TRUE(write_mesh(dir.path() / name, mesh));
      const auto back = read_mesh(dir.path() / name);
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_EQ(*back, mesh) << name;
    }
  }
  Mesh mesh = make_square();
  for (auto& p : mesh.positions) p = {2683141.57 + p[0] / 3, 1247908.52 + p[1] / 7, 431.19 + p[2]};
  for (const char* name : {"a.ply", "a.off", "a.obj", "a.stl"}) {
    ASSERT_TRUE(write_mesh(dir.path() / name, mesh));
    EXPECT_EQ(read_mesh(dir.path() / name)->positions, mesh.positions) << name;
  }
  EXPECT_EQ(parse_obj("a.obj", "v 2683141.57 1247908.52 431.19\n")->positions[0][0], 2683141.57);
}

TEST(Mesh, KeepsTheTypeOfColors) {
  const test::TempDir dir;
  Mesh mesh = make_full_square();
  mesh.color_type = "uchar";
  mesh.colors = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {17, 128, 200}};
  mesh.vertex_attributes = {{"alpha", "uchar", {255, 128, 0, 255}}};
  for (const char* name : {"a.ply", "a.off"}) {
    ASSERT_TRUE(write_mesh(dir.path() / name, mesh));
    EXPECT_EQ(*read_mesh(dir.path() / name), mesh) << name;
  }
  ASSERT_TRUE(write_mesh(dir.path() / "a.obj", mesh));
  const auto shares = read_mesh(dir.path() / "a.obj");
  EXPECT_EQ(shares->colors[3][1], 128 / 255.0);
  EXPECT_EQ(shares->color_bytes(3), (std::array<std::uint8_t, 3>{17, 128, 200}));
  // 16 bits go where there are floats.
  mesh.color_type = "ushort";
  mesh.colors.back() = {65535, 13107, 0};
  ASSERT_TRUE(write_mesh(dir.path() / "b.ply", mesh));
  EXPECT_EQ(read_mesh(dir.path() / "b.ply")->colors, mesh.colors);
  ASSERT_TRUE(write_mesh(dir.path() / "b.off", mesh));
  EXPECT_EQ(read_mesh(dir.path() / "b.off")->colors.back(), (std::array{1.0, 0.2, 0.0}));
}

TEST(Mesh, SaysWhichFormatsThereAre) {
  const test::TempDir dir;
  EXPECT_EQ(parse_mesh("a.gltf", "{}\n").error().message(),
            "a.gltf: is not a mesh that can be read (legal: ply, off, obj, stl)");
  EXPECT_THAT(write_mesh("a.gltf", make_square()).error().message(), HasSubstr("legal: .ply"));
  Mesh half = make_square();
  half.colors.resize(2);
  EXPECT_THAT(write_mesh(dir.path() / "a.off", half).error().message(),
              HasSubstr("2 normals or colors for 4 vertices"));
}

TEST(Obj, ReadsWhatProgramsWrite) {
  const auto mesh = parse_obj("a.obj",
                              "# made by hand\r\nmtllib a.mtl\r\no square\r\n"
                              "v 0 0 0 1\r\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                              "vt 0 0\nvn 0 0 1\nusemtl red\ns off\n"
                              "f 1/1/1 2/1/1 3/1/1 4/1/1 # a quad\nf -4 -3//1 -1\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions.size(), 4u);
  EXPECT_THAT(mesh->triangles,
              ElementsAre(std::array{0, 1, 2}, std::array{0, 2, 3}, std::array{0, 1, 3}));
  EXPECT_EQ(mesh->normals.size(), 4u);
}

TEST(Obj, ReadsCornersAsOthersDo) {
  // Empty numbers, numbers of normals that are not there, a line that goes on, Windows' line ends,
  // groups without a name, vertices that follow their faces.
  const auto mesh = parse_obj("a.obj",
                              "g\r\nf 1/1/ 2/2/ 3/\r\nf 1//1 \\\r\n 3//-1 \\\r\n4\r\n"
                              "v 0 0 0\r\nv 1 0 \\\r\n0\r\nv 0 1 0\r\nv 0 0 1\r\ng \r\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions.size(), 4u);
  EXPECT_THAT(mesh->triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
  EXPECT_THAT(mesh->texture, CornerValues{});
  // Negative numbers count from where they stand, over several objects.
  const auto objects =
      parse_obj("a.obj",
                "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf -3/-1 -2/-1 -1/-1\n"
                "o b\nv 2 0 0\nv 3 0 0\nvt 1 1\nf -5/-2 -2/-1 -1/1\nl -1 -2\np -1\n");
  ASSERT_TRUE(objects) << objects.error().message();
  EXPECT_THAT(objects->triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 3, 4}));
  EXPECT_THAT(objects->texture.of, ElementsAre(Triangle{0, 0, 0}, Triangle{0, 1, 0}));
  EXPECT_THAT(objects->statements, ElementsAre(MeshStatement{0, "o a"}, MeshStatement{1, "o b"},
                                               MeshStatement{2, "l 5 4"}, MeshStatement{2, "p 5"}));
}

constexpr std::string_view Furniture =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 1.5 0\nvt 0 0\nvt 1 0\nvt 0.5 0.25\n"
    "mtllib room.mtl\no chair\ng seat\ns 1\nusemtl dark oak #2\nf 1/1 2/2 3/3 5/2 4/1\n"
    "g leg\nusemtl steel\nf 1/2 4/1 2/3\nl 1 2 3\ns off\n";

TEST(Obj, KeepsPolygonsTextureMaterialsAndGroups) {
  const test::TempDir dir;
  const auto mesh = parse_obj("a.obj", Furniture);
  ASSERT_TRUE(mesh) << mesh.error().message();
  ASSERT_TRUE(write_obj(dir.path() / "b.obj", *mesh));
  EXPECT_EQ(*read_file(dir.path() / "b.obj"), Furniture);
  // Other formats hold a part of it.
  ASSERT_TRUE(write_mesh(dir.path() / "c.ply", *mesh));
  const auto ply = read_mesh(dir.path() / "c.ply");
  EXPECT_THAT(ply->fans, ElementsAre(3, 1));
  EXPECT_EQ(ply->texture.values.size(), 8u);
  ASSERT_TRUE(write_mesh(dir.path() / "d.off", *mesh));
  EXPECT_THAT(*read_file(dir.path() / "d.off"), HasSubstr("\n5 0 1 2 4 3\n3 0 3 1\n"));
}

TEST(Obj, KeepsSeveralNormalsOfAVertexThatCoverTheMesh) {
  const test::TempDir dir;
  constexpr std::string_view Fold =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvn 1 0 0\nf 1//1 2//1 3//1\n"
      "f 1//2 3//2 4//2\n";
  auto mesh = parse_obj("a.obj", Fold);
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->normals[1], (std::array{0.0, 0.0, 1.0}));
  EXPECT_NEAR(mesh->normals[0][0], std::sqrt(0.5), 1e-15);
  ASSERT_TRUE(write_obj(dir.path() / "b.obj", *mesh));
  EXPECT_EQ(*read_file(dir.path() / "b.obj"), Fold);
  // Some programs give every corner a normal of its own, whether they differ or not.
  const auto flat =
      parse_obj("a.obj",
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvn 0 0 1\nvn 0 0 1\nf 1//1 2//1 3//1\n"
                "f 3//2 2//2 4//2\n");
  EXPECT_EQ(flat->normals.size(), 4u);
  EXPECT_EQ(flat->corner_normals, CornerValues{});
  mesh = parse_obj("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nvn 0 0 1\nf 1//1 2//1 3//1\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_THAT(mesh->normals, IsEmpty());
}

TEST(Obj, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) { return fault_of(parse_obj("a.obj", text)); };
  EXPECT_THAT(message("v 0 0\n"),
              HasSubstr("a.obj:1: the line ends where z of vertex 1 should be"));
  EXPECT_THAT(message("v 0 0 z\n"), HasSubstr("a.obj:1: found 'z' where z of vertex 1 should be"));
  EXPECT_THAT(message("v 0 0 0\n\nf 1 2 3\n"),
              HasSubstr("a.obj:3: '3' names no vertex: there are 1 (1 ... 1, or -1 for the last"));
  EXPECT_THAT(message("v 0 0 0\nf 1 1\n"), HasSubstr("a face has 2 corners, but needs 3"));
  EXPECT_THAT(message("v 0 0 0\nvn 0 0 1\nf 1//2 1//2 1//2\n"),
              HasSubstr("a.obj:3: '1//2' names no normal: there are 1"));
  EXPECT_THAT(message("v 0 0 0\nvt 0 0\nf 1/-2 1/1 1/1\n"),
              HasSubstr("a.obj:3: '1/-2' names no texture coordinate"));
  EXPECT_THAT(message("v 0 0 0\nf 0 1 1\n"), HasSubstr("a.obj:2: '0' names no vertex"));
  EXPECT_THAT(message("v 0 0 0 red\n"),
              HasSubstr("a.obj:1: found 'red' where w or the end of vertex 1 should be"));
  EXPECT_THAT(message("v 0 0 0 1 1\n"),
              HasSubstr("a.obj:1: the line ends where b of vertex 1 should be"));
  EXPECT_THAT(message("v 0 0 0\nvertex 1\n"),
              HasSubstr("a.obj:2: unknown statement 'vertex' (legal: v, "));
  EXPECT_THAT(message("# empty\n"), HasSubstr("has no vertex"));
}

TEST(Off, ReadsCommentsColorsAndPolygons) {
  const auto mesh = parse_off("a.off",
                              "COFF # colors\n# a square\n4 1 0\n"
                              "0 0 0 255 0 0 255\n1 0 0 0.0 1.0 0.0 1.0\n"
                              "1 1 0 0 0 255 255\n0 1 0 9 9 9 255\n4 0 1 2 3 0.5 0.5 0.5\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_THAT(mesh->triangles, ElementsAre(std::array{0, 1, 2}, std::array{0, 2, 3}));
  EXPECT_EQ(mesh->colors[1], (std::array{0.0, 255.0, 0.0}));
  // Without a number above 1 a file has shares, though some lack a point.
  const auto shares =
      parse_off("a.off", "COFF\n3 0\n0 0 0 1 0 0\n1 0 0 0.25 0 1 0.5\n1 1 0 0 0 0 1\n");
  EXPECT_EQ(shares->colors[0], (std::array{1.0, 0.0, 0.0}));
  EXPECT_EQ(shares->color_type, "float");
  EXPECT_THAT(shares->vertex_attributes, ElementsAre(MeshAttribute{"alpha", "float", {1, 0.5, 1}}));
}

TEST(Off, KeepsPolygonsTextureAndColorsOfFaces) {
  const test::TempDir dir;
  const auto mesh =
      parse_off("a.off",
                "STNCOFF 4 2\n0 0 0 0 0 1 255 0 0 0 0\n1 0 0 0 0 1 0 255 0 1 0 # red green blue\n"
                "1 1 0 0 0 1 0 0 255 1 1\n0 1 0 0 0 1 9 9 9 0 1\n"
                "4 0 1 2 3 255 0 7\n3 0 2 3 0.0 1.0 0.0 0.2\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->colors[3], (std::array{9.0, 9.0, 9.0}));
  EXPECT_EQ(mesh->texture.values[2], (std::array{1.0, 1.0, 0.0}));
  EXPECT_THAT(mesh->face_attributes, ElementsAre(MeshAttribute{"red", "uchar", {255, 0}},
                                                 MeshAttribute{"green", "uchar", {0, 255}},
                                                 MeshAttribute{"blue", "uchar", {7, 0}},
                                                 MeshAttribute{"alpha", "uchar", {255, 51}}));
  for (const char* name : {"b.off", "b.ply"}) {
    ASSERT_TRUE(write_mesh(dir.path() / name, *mesh));
    const auto back = read_mesh(dir.path() / name);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(back->fans, mesh->fans);
    EXPECT_EQ(back->face_attributes, mesh->face_attributes);
  }
  EXPECT_EQ(*read_mesh(dir.path() / "b.off"), *mesh);
  EXPECT_TRUE(parse_off("a.off", "OFF\n3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 4\n")) << "of a table";
}

TEST(Off, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) { return fault_of(parse_off("a.off", text)); };
  EXPECT_THAT(message("ply\n"), HasSubstr("is not an OFF file"));
  EXPECT_THAT(message("OFF\nthree 1 0\n"),
              HasSubstr("a.off:2: found 'three' where the number of vertices"));
  EXPECT_THAT(message("OFF\n900 1 0\n"), HasSubstr("promises 900 vertices"));
  EXPECT_THAT(message("OFF\n0 -1 0\n"),
              HasSubstr("a.off:2: found '-1' where the number of faces should be"));
  EXPECT_THAT(message("OFF\n2 0 0\n0 0 0\n1 1"),
              HasSubstr("a.off:4: the line ends where z of vertex 1 (of 2) should be"));
  EXPECT_THAT(message("OFF\n1 1 0\n0 0 0\n3 0 0 1\n"),
              HasSubstr("face 0 names vertex 1, but there are 1 vertices"));
  EXPECT_THAT(message("OFF\n1 1 0\n0 0 0\n0\n"), HasSubstr("the number of corners of face 0"));
  EXPECT_THAT(message("OFF\n1 0 0\n0 0 0\nmore\n"), HasSubstr("the end of the file"));
  EXPECT_THAT(message("OFF\n2 0 0\n0 0 0 1\n1 0 0 1\n"),
              HasSubstr("a.off:3: found '1' where the end of vertex 0 (of 2) should be"));
  EXPECT_THAT(message("OFF\n1 1 0\n0 0 0\n3 0 0 0 1 2 3 4 5\n"),
              HasSubstr("a.off:4: found '5' where the end of face 0 (of 1) should be"));
  EXPECT_THAT(
      message("COFF\n1 0 0\n0 0 0 1 2\n"),
      HasSubstr("a.off:3: the line ends where a color of vertex 0 (of 1) (0 ... 255) should"));
  EXPECT_THAT(message("COFF\n1 0 0\n0 0 0 1 2 300\n"),
              HasSubstr("found '300' where a color of vertex 0 (of 1) (0 ... 255) should be"));
  EXPECT_THAT(message("4OFF\n1 0 0\n0 0 0 1\n"), HasSubstr("legal: OFF, COFF"));
}

constexpr std::string_view Corner =
    "solid one\n  facet normal 0 0 1\n    outer loop\n      vertex 0 0 0\n      vertex 1e0 0 0\n"
    "      vertex 0 1 0\n    endloop\n  endfacet\nendsolid one\nSOLID two\nFACET NORMAL 1 0 0\n"
    "OUTER LOOP\nVERTEX -0 0 0\nVERTEX 0 1 0\nVERTEX 0 0 0.1\nENDLOOP\nENDFACET\nENDSOLID\n";

TEST(Stl, MergesEqualCornersOfAllSolids) {
  const test::TempDir dir;
  const auto mesh = parse_mesh("a.stl", Corner);
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_THAT(mesh->positions, ElementsAre(std::array{0.0, 0.0, 0.0}, std::array{1.0, 0.0, 0.0},
                                           std::array{0.0, 1.0, 0.0}, std::array{0.0, 0.0, 0.1}));
  EXPECT_THAT(mesh->triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
  ASSERT_TRUE(write_mesh(dir.path() / "b.stl", *mesh));
  EXPECT_THAT(*read_file(dir.path() / "b.stl"), HasSubstr("facet normal 1 0 0\n"));
  EXPECT_EQ(*read_mesh(dir.path() / "b.stl"), *mesh);
}

TEST(Stl, ReadsBinaryWhateverItsHeaderSays) {
  for (const std::string_view header : {"solid of a program", "made by hand"}) {
    std::string content(header);
    content.resize(80, ' ');
    append_bytes(content, std::uint32_t{2});
    for (const float side : {1.0f, 2.0f}) {
      const float numbers[] = {0, 0, 1, 0, 0, 0, side, 0, 0, 0, side, 0};
      append_bytes(content, std::span<const float>(numbers));
      append_bytes(content, std::uint16_t{0});
    }
    const auto mesh = parse_mesh("a.stl", content);
    ASSERT_TRUE(mesh) << mesh.error().message();
    EXPECT_EQ(mesh->positions.size(), 5u);
    EXPECT_THAT(mesh->triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 3, 4}));
  }
}

TEST(Stl, NamesWhatIsWrong) {
  const auto message = [](const std::string& text) { return fault_of(parse_stl("a.stl", text)); };
  const std::string whole(Corner);
  EXPECT_THAT(message(whole.substr(0, whole.find("endloop"))),
              HasSubstr("the file ends where 'endloop' should be"));
  EXPECT_THAT(message("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"),
              HasSubstr("a.stl:4: the line ends where z of a corner of triangle 0 should be"));
  EXPECT_THAT(message("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n"),
              HasSubstr("a.stl:4: found 'nan' where z"));
  EXPECT_THAT(message("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1\n"),
              HasSubstr("a.stl:5: the line ends where z of a corner of triangle 0 should be"));
  EXPECT_THAT(message("solid\nendsolid\n"), HasSubstr("a.stl: has no triangle"));
  EXPECT_THAT(message("solid\nface\n"), HasSubstr("a.stl:2: found 'face' where 'facet' or"));
  EXPECT_THAT(message(std::string("solid\0", 6)),
              HasSubstr("header and number of triangles (84 bytes) should follow, but 6 bytes"));
  std::string cut = "solid";
  cut.resize(80);
  append_bytes(cut, std::uint32_t{9});
  EXPECT_THAT(message(cut),
              HasSubstr("a.stl: the file is truncated: at offset 84, triangle 0 (of 9)"));
  std::string long_file(80, '\0');
  append_bytes(long_file, std::uint32_t{1});
  long_file.resize(84 + 50 + 3);
  EXPECT_THAT(message(long_file), HasSubstr("a.stl: has 3 bytes behind its 1 triangles"));
}

TEST(Mesh, ReadsPublishedMeshes) {
  THALLO_REQUIRE_DATA(raptor, "opt_thallo/raptor_simplify2k.off");
  const auto off = read_mesh(raptor);
  ASSERT_TRUE(off) << off.error().message();
  EXPECT_EQ(off->positions.size(), 2000u);
  EXPECT_EQ(off->triangles.size(), 4036u);
  THALLO_REQUIRE_DATA(squat, "opt_thallo/squat_source.obj.xz");
  const auto obj = read_mesh(squat);
  ASSERT_TRUE(obj) << obj.error().message();
  EXPECT_EQ(obj->positions.size(), 10002u);
  EXPECT_EQ(obj->triangles.size(), 20000u);
}

}  // namespace
}  // namespace thallo
