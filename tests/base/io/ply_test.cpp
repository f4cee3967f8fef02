#include "core/base/io/ply.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/base/io/byte_cursor.h"
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

TEST(Ply, RoundTripsMeshesAndPointsInBothFormats) {
  const test::TempDir dir;
  Mesh mesh = make_tetrahedron();
  for (const bool decorated : {false, true}) {
    if (decorated) {
      mesh.normals.assign(4, {0, 0.6, -0.8});
      mesh.colors = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {1, 2, 3}};
      mesh.elements = {{"edge", 2, {{"vertex1", "int", {0, 2}}, {"vertex2", "int", {1, 3}}}},
                       {"material", 2, {{"ids", "short", {7, -8, 9}, "uint", {0, 1, 3}}}},
                       {"nothing", 3, {}}};
    }
    for (const PlyFormat format : {PlyFormat::Ascii, PlyFormat::Binary}) {
      ASSERT_TRUE(write_ply(dir.path() / "a.ply", mesh, format));
      const auto back = read_mesh(dir.path() / "a.ply");
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_EQ(*back, mesh);
    }
  }
  Mesh cloud;
  cloud.positions = {{1, 2, 3}};
  ASSERT_TRUE(write_ply(dir.path() / "a.ply", cloud, PlyFormat::Ascii));
  EXPECT_THAT(*read_file(dir.path() / "a.ply"), testing::Not(HasSubstr("face")));
  EXPECT_EQ(*read_mesh(dir.path() / "a.ply"), cloud);
}

TEST(Ply, SplitsPolygons) {
  const test::TempDir dir;
  const auto mesh = read_mesh(dir.write("a.ply",
                                        "ply\nformat ascii 1.0\ncomment a square\n"
                                        "element camera 1\nproperty float angle\n"
                                        "element vertex 4\nproperty float nz\n"
                                        "property double z\nproperty double y\n"
                                        "property float nx\nproperty float ny\n"
                                        "property double x\nproperty float quality\n"
                                        "element face 1\nproperty list uchar int vertex_index\n"
                                        "property list uchar float texcoord\nend_header\n"
                                        "60\n1 9 0 0 0 0 1\n1 9 0 0 0 1 1\n-1 9 1 0 0 1 1\n"
                                        "1 9 1 0 0 0 1\n"
                                        "4 0 1 2 3 2 0.5 0.5\n"));
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions[1], (std::array{1.0, 0.0, 9.0}));
  EXPECT_EQ(mesh->normals[2], (std::array{0.0, 0.0, -1.0}));
  EXPECT_THAT(mesh->triangles, testing::ElementsAre(std::array{0, 1, 2}, std::array{0, 2, 3}));
  EXPECT_THAT(mesh->fans, testing::ElementsAre(2));
}

// Appends the bytes of numbers, the highest first.
template <class... Numbers>
void append_big(std::string& out, Numbers... numbers) {
  const auto append = [&](auto number) {
    std::string bytes;
    append_bytes(bytes, number);
    out.append(bytes.rbegin(), bytes.rend());
  };
  (append(numbers), ...);
}

TEST(Ply, ReadsBigEndianWithFacesFirstAndListsOfAnyIntegers) {
  std::string content =
      "ply\r\nformat binary_big_endian 1.0\r\nelement face 2\r\nproperty uchar flags\r\n"
      "property list ushort short vertex_indices\r\nelement light 1\r\n"
      "property list int double beams\r\nelement vertex 4\r\nproperty short x\r\n"
      "property list uchar int neighbors\r\nproperty double y\r\nproperty float z\r\n"
      "end_header\r\n";
  using std::int16_t, std::uint16_t, std::uint8_t;
  append_big(content, uint8_t{7}, uint16_t{3}, int16_t{0}, int16_t{1}, int16_t{2});
  append_big(content, uint8_t{9}, uint16_t{4}, int16_t{0}, int16_t{2}, int16_t{3}, int16_t{1});
  append_big(content, 2, 0.5, 0.25);
  for (int16_t v = 0; v < 4; ++v)
    append_big(content, int16_t(300 * v), uint8_t{1}, 5, 0.1 * v, 0.5f * static_cast<float>(v));
  const auto mesh = parse_ply("a.ply", content);
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions[3], (std::array{900.0, 0.1 * 3, 1.5}));
  EXPECT_THAT(mesh->triangles,
              testing::ElementsAre(std::array{0, 1, 2}, std::array{0, 2, 3}, std::array{0, 3, 1}));
  EXPECT_THAT(mesh->fans, testing::ElementsAre(1, 2));
  EXPECT_THAT(mesh->face_attributes, testing::ElementsAre(MeshAttribute{"flags", "uchar", {7, 9}}));
}

TEST(Ply, KeepsPolygonsTextureAttributesAndComments) {
  const test::TempDir dir;
  const std::string text =
      "ply\nformat ascii 1.0\ncomment TextureFile skin.png\nelement vertex 5\n"
      "property double x\nproperty double y\nproperty double z\nproperty float red\n"
      "property float green\nproperty float blue\nproperty float quality\n"
      "property list uchar short tags\nelement face 2\n"
      "property list uchar int vertex_indices\nproperty list uchar double texcoord\n"
      "property uchar part\nproperty list uchar int neighbors\nelement material 1\n"
      "property list ushort float tints\nproperty uchar kind\nelement edge 2\n"
      "property int vertex1\nproperty int vertex2\nend_header\n"
      "0 0 0 0.5 0.125 1 0.5 0\n1 0 0 0 0 0 0.25 1 -7\n1 1 0 0 0 0 1 2 8 9\n0 1 0 0 0 0 2 0\n"
      "0.1 2 0 0 0 0 3 0\n4 0 1 2 3 8 0 0 0.1 0 1 1 0 1 3 1 1\n3 3 2 4 0 4 0\n2 0.5 0.25 200\n"
      "0 4\n1 2\n";
  const auto mesh = parse_ply("a.ply", text);
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->texture.values.size(), 4u);
  ASSERT_TRUE(write_ply(dir.path() / "b.ply", *mesh, PlyFormat::Ascii));
  EXPECT_EQ(*read_file(dir.path() / "b.ply"), text);
  ASSERT_TRUE(write_ply(dir.path() / "c.ply", *mesh));
  EXPECT_EQ(*read_mesh(dir.path() / "c.ply"), *mesh);
}

TEST(Ply, WritesFacesOfManyCorners) {
  const test::TempDir dir;
  Mesh disc;
  for (int i = 0; i < 300; ++i)
    disc.positions.push_back({std::cos(0.02 * i), std::sin(0.02 * i), 0});
  for (int i = 2; i < 300; ++i) disc.triangles.push_back({0, i - 1, i});
  disc.fans = {298};
  for (const PlyFormat format : {PlyFormat::Ascii, PlyFormat::Binary}) {
    ASSERT_TRUE(write_ply(dir.path() / "a.ply", disc, format));
    EXPECT_EQ(*read_mesh(dir.path() / "a.ply"), disc);
  }
}

// The rest of a row would be read as the next one.
TEST(Ply, RefusesRowsThatAreNotAsLongAsTheHeaderSays) {
  const auto message = [](std::string_view rows) {
    const auto mesh =
        parse_ply("a.ply",
                  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 2\nproperty list uchar int vertex_indices\n"
                  "end_header\n" +
                      std::string(rows));
    return mesh ? "no error" : mesh.error().message();
  };
  const std::string vertices = "0 0 0\n1 0 0\n\n0 1 0\n";
  EXPECT_EQ(message(vertices + "3 0 1 2\n3 2 1 0\n"), "no error");
  EXPECT_EQ(message("0 0 0\n1 0 0 255\n0 1 0\n"),
            "a.ply:11: found '255' where the end of vertex 1 (of 3) should be: the header lists no "
            "more properties");
  EXPECT_EQ(message("0 0 0\n1 0\n0 1 0\n"),
            "a.ply:11: the line ends where z of vertex 1 (of 3) should be");
  EXPECT_EQ(
      message(vertices + "3 0 1 2\n3 2 1 0 7\n"),
      "a.ply:15: found '7' where the end of face 1 (of 2) should be: the header lists no more "
      "properties");
  EXPECT_EQ(message(vertices + "3 0 1 2\n3 2 1 0\n3 0 1 2\n"),
            "a.ply:16: found '3' where the end of the file should be: the header lists no more "
            "elements");
  EXPECT_EQ(message(vertices + "3 0 1.5 2\n"),
            "a.ply:14: found '1.5' where vertex_indices of face 0 (of 2) should be");
  EXPECT_EQ(message(vertices + "3 0 1 2\n2.5 2 1 0\n"),
            "a.ply:15: vertex_indices of face 1 (of 2) has 2.5 entries; legal is an integer up to "
            "1000000");
}

TEST(Ply, NamesWhatIsWrong) {
  const test::TempDir dir;
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
  const auto message = [&](const std::string& content) {
    const auto mesh = parse_ply("a.ply", content);
    return mesh ? "no error" : mesh.error().message();
  };
  EXPECT_THAT(message("OFF\n"), HasSubstr("a.ply: is not a PLY file"));
  EXPECT_THAT(message("ply\nformat binary 1.0\n"),
              HasSubstr("a.ply:2: format 'binary' cannot be read (legal: ascii, "
                        "binary_little_endian, binary_big_endian)"));
  EXPECT_THAT(message("ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n"),
              HasSubstr("a.ply:4: unknown type 'real'"));
  EXPECT_THAT(message("ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 2\n"),
              HasSubstr("a.ply:4: there are two elements 'vertex'"));
  EXPECT_THAT(message("ply\nformat ascii 1.0\n"), HasSubstr("where 'end_header' should be"));
  EXPECT_THAT(message("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                      "property float y\nproperty float z\nproperty uchar red\nend_header\n"
                      "0 0 0 300\n"),
              HasSubstr("a.ply:9: found '300' where red of vertex 0 (of 1) should be"));
  EXPECT_THAT(message(header + "1 2 3\n4 5"),
              HasSubstr("a.ply:11: the line ends where z of vertex 1 (of 2) should be"));
  EXPECT_THAT(message(header + "1 2 3\n4 5 six"), HasSubstr("found 'six' where z of vertex 1"));
  EXPECT_THAT(message(header + "1 2 3\n4 5 6\n3 0 1 2"),
              HasSubstr("a.ply:12: face 0 names vertex 2, but there are 2 vertices"));
  EXPECT_THAT(read_mesh(dir.path() / "absent.ply").error().message(),
              HasSubstr("cannot be opened"));
}

TEST(Ply, DoesNotCountRowsWithoutPropertiesAndSaysWhereABinaryFileEnds) {
  const auto mesh =
      parse_ply("a.ply",
                "ply\nformat ascii 1.0\nelement nothing 3000000000000\nelement vertex 1\n"
                "property float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh->positions.size(), 1u);
  const test::TempDir dir;
  ASSERT_TRUE(write_ply(dir.path() / "a.ply", make_tetrahedron()));
  const std::string whole = *read_file(dir.path() / "a.ply");
  const auto cut = read_mesh(dir.write("b.ply", whole.substr(0, whole.size() - 5)));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message(), HasSubstr("vertex_indices of face 3 (of 4) (4 bytes)"));
  const auto longer = parse_ply("b.ply", whole + "four");
  ASSERT_FALSE(longer);
  EXPECT_THAT(longer.error().message(), HasSubstr("b.ply: has 4 bytes behind offset"));
  EXPECT_TRUE(parse_ply("b.ply", whole + "\r\n"));
}

TEST(Ply, ReadsPublishedMeshes) {
  THALLO_REQUIRE_DATA(armadillo, "opt_thallo/small_armadillo.ply");
  const auto binary = read_mesh(armadillo);
  ASSERT_TRUE(binary) << binary.error().message();
  EXPECT_EQ(binary->positions.size(), 130u);
  EXPECT_EQ(binary->triangles.size(), 256u);
  THALLO_REQUIRE_DATA(dragon, "meshes/dragon_vrip_res4.ply.gz");
  const auto text = read_mesh(dragon);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(text->positions.size(), 5205u);
  EXPECT_EQ(text->triangles.size(), 11102u);
}

}  // namespace
}  // namespace thallo
