#include "core/base/io/ply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/io/file.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;

Mesh make_tetrahedron() {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1, 0.2, 0.3}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return mesh;
}

TEST(Ply, RoundTripsInBothFormats) {
  const test::TempDir dir;
  Mesh mesh = make_tetrahedron();
  for (const bool decorated : {false, true}) {
    if (decorated) {
      mesh.normals.assign(4, {0, 0.6, -0.8});
      mesh.colors = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {1, 2, 3}};
    }
    for (const PlyFormat format : {PlyFormat::Ascii, PlyFormat::Binary}) {
      ASSERT_TRUE(write_ply(dir.path() / "a.ply", mesh, format));
      const auto back = read_ply(dir.path() / "a.ply");
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_EQ(*back, mesh);
    }
  }
}

TEST(Ply, WritesPointClouds) {
  const test::TempDir dir;
  Mesh cloud;
  cloud.positions = {{1, 2, 3}};
  ASSERT_TRUE(write_ply(dir.path() / "a.ply", cloud, PlyFormat::Ascii));
  EXPECT_THAT(*read_file(dir.path() / "a.ply"), testing::Not(HasSubstr("face")));
  EXPECT_EQ(*read_ply(dir.path() / "a.ply"), cloud);
}

TEST(Ply, SplitsPolygonsAndSkipsWhatItDoesNotKnow) {
  const test::TempDir dir;
  const auto mesh = read_ply(dir.write("a.ply",
                                       "ply\nformat ascii 1.0\ncomment a square\n"
                                       "element camera 1\nproperty float angle\n"
                                       "element vertex 4\nproperty double z\nproperty double y\n"
                                       "property double x\nproperty float quality\n"
                                       "element face 1\nproperty list uchar int vertex_index\n"
                                       "property list uchar float texcoord\nend_header\n"
                                       "60\n9 0 0 1\n9 0 1 1\n9 1 1 1\n9 1 0 1\n"
                                       "4 0 1 2 3 2 0.5 0.5\n"));
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions[1], (std::array{1.0, 0.0, 9.0}));
  EXPECT_THAT(mesh->triangles, testing::ElementsAre(std::array{0, 1, 2}, std::array{0, 2, 3}));
}

TEST(Ply, NamesWhatIsWrong) {
  const test::TempDir dir;
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
  const auto message = [&](const std::string& content) {
    const auto mesh = read_ply(dir.write("a.ply", content));
    return mesh ? "no error" : mesh.error().message();
  };
  EXPECT_THAT(message("OFF\n"), HasSubstr("a.ply: is not a PLY file"));
  EXPECT_THAT(message("ply\nformat binary_big_endian 1.0\n"),
              HasSubstr("a.ply:2: format 'binary_big_endian' cannot be read (legal: ascii, "
                        "binary_little_endian)"));
  EXPECT_THAT(message("ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n"),
              HasSubstr("a.ply:4: unknown type 'real'"));
  EXPECT_THAT(message("ply\nformat ascii 1.0\n"), HasSubstr("where 'end_header' should be"));
  EXPECT_THAT(message(header + "1 2 3\n4 5"),
              HasSubstr("a.ply:11: the file ends where z of vertex 1 (of 2) should be"));
  EXPECT_THAT(message(header + "1 2 3\n4 5 six"), HasSubstr("found 'six' where z of vertex 1"));
  EXPECT_THAT(message(header + "1 2 3\n4 5 6\n3 0 1 2"),
              HasSubstr("a.ply: face 0 names vertex 2, but there are 2 vertices"));
  EXPECT_THAT(read_ply(dir.path() / "absent.ply").error().message(), HasSubstr("cannot be opened"));
}

TEST(Ply, DoesNotCountRowsWithoutProperties) {
  const auto mesh =
      parse_ply("a.ply",
                "ply\nformat ascii 1.0\nelement nothing 3000000000000\nelement vertex 1\n"
                "property float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions.size(), 1u);
}

TEST(Ply, SaysWhereABinaryFileIsTruncated) {
  const test::TempDir dir;
  ASSERT_TRUE(write_ply(dir.path() / "a.ply", make_tetrahedron()));
  const std::string whole = *read_file(dir.path() / "a.ply");
  const auto cut = read_ply(dir.write("b.ply", whole.substr(0, whole.size() - 5)));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message(), HasSubstr("vertex_indices of face 3 (of 4)"));
}

TEST(Ply, ReadsPublishedMeshes) {
  THALLO_REQUIRE_DATA(armadillo, "opt_thallo/small_armadillo.ply");
  const auto binary = read_ply(armadillo);
  ASSERT_TRUE(binary) << binary.error().message();
  EXPECT_EQ(binary->positions.size(), 130u);
  EXPECT_EQ(binary->triangles.size(), 256u);
  THALLO_REQUIRE_DATA(dragon, "meshes/dragon_vrip_res4.ply.gz");
  const auto text = read_ply(dragon);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(text->positions.size(), 5205u);
  EXPECT_EQ(text->triangles.size(), 11102u);
}

}  // namespace
}  // namespace thallo
