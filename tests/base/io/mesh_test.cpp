#include "core/base/io/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/io/file.h"
#include "core/base/io/obj.h"
#include "core/base/io/off.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Mesh make_square() {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.25}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

Mesh make_full_square() {
  Mesh mesh = make_square();
  mesh.normals = {{0, 0, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  mesh.colors = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {17, 128, 200}};
  return mesh;
}

TEST(Mesh, RoundTripsInEveryFormatByName) {
  const test::TempDir dir;
  for (const char* name : {"a.ply", "a.off", "a.obj", "A.OBJ", "a.off.gz", "a.obj.xz"}) {
    for (const Mesh& mesh : {make_square(), make_full_square()}) {
      ASSERT_TRUE(write_mesh(dir.path() / name, mesh));
      const auto back = read_mesh(dir.path() / name);
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_EQ(*back, mesh) << name;
    }
  }
}

TEST(Mesh, KeepsTheDigitsOfPlacesOnEarth) {
  const test::TempDir dir;
  Mesh mesh = make_square();
  for (auto& p : mesh.positions) p = {2683141.57 + p[0] / 3, 1247908.52 + p[1] / 7, 431.19 + p[2]};
  for (const char* name : {"a.ply", "a.off", "a.obj"}) {
    ASSERT_TRUE(write_mesh(dir.path() / name, mesh));
    EXPECT_EQ(read_mesh(dir.path() / name)->positions, mesh.positions) << name;
  }
  EXPECT_EQ(parse_obj("a.obj", "v 2683141.57 1247908.52 431.19\n")->positions[0][0], 2683141.57);
}

TEST(Mesh, SaysWhichFormatsThereAre) {
  const test::TempDir dir;
  EXPECT_EQ(parse_mesh("a.stl", "solid cube\n").error().message(),
            "a.stl: is not a mesh that can be read (legal: ply, off, obj)");
  EXPECT_THAT(write_mesh("a.stl", make_square()).error().message(), HasSubstr("legal: .ply"));
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

TEST(Obj, DropsNormalsThatDoNotCoverTheMesh) {
  const auto mesh =
      parse_obj("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nvn 0 0 1\nf 1//1 2//1 3//1\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_THAT(mesh->normals, IsEmpty());
}

TEST(Obj, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto mesh = parse_obj("a.obj", text);
    return mesh ? "no error" : mesh.error().message();
  };
  EXPECT_THAT(message("v 0 0\n"),
              HasSubstr("a.obj:1: the line ends where z of vertex 1 should be"));
  EXPECT_THAT(message("v 0 0 z\n"), HasSubstr("a.obj:1: found 'z' where z of vertex 1 should be"));
  EXPECT_THAT(message("v 0 0 0\n\nf 1 2 3\n"),
              HasSubstr("a.obj:3: '2' names no vertex: there are 1 so far"));
  EXPECT_THAT(message("v 0 0 0\nf 1 1\n"), HasSubstr("a face has 2 corners, but needs 3"));
  EXPECT_THAT(message("v 0 0 0\nf 1//2 1//2 1//2\n"), HasSubstr("'1//2' names no normal"));
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
  EXPECT_EQ(mesh->colors[1], (std::array<std::uint8_t, 3>{0, 255, 0}));
}

TEST(Off, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto mesh = parse_off("a.off", text);
    return mesh ? "no error" : mesh.error().message();
  };
  EXPECT_THAT(message("ply\n"), HasSubstr("is not an OFF file"));
  EXPECT_THAT(message("OFF\nthree 1 0\n"),
              HasSubstr("a.off:2: found 'three' where the number of vertices"));
  EXPECT_THAT(message("OFF\n900 1 0\n"), HasSubstr("promises 900 vertices"));
  EXPECT_THAT(message("OFF\n2 0 0\n0 0 0\n1 1"),
              HasSubstr("a.off:4: the file ends where z of vertex 1 (of 2) should be"));
  EXPECT_THAT(message("OFF\n1 1 0\n0 0 0\n3 0 0 1\n"),
              HasSubstr("face 0 names vertex 1, but there are 1 vertices"));
  EXPECT_THAT(message("OFF\n1 1 0\n0 0 0\n0\n"), HasSubstr("the number of corners of face 0"));
  EXPECT_THAT(message("OFF\n1 0 0\n0 0 0\nmore\n"), HasSubstr("the end of the file"));
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
