#include "core/problem/mesh_handles.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/base/mesh.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr;

TEST(MeshHandles, ReadsMeshAndHandles) {
  const test::TempDir dir;
  const auto mesh = dir.write("tetrahedron.off",
                              "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                              "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n");
  dir.write("tetrahedron.mrk", "2\n1 2 3 0.5 0\n0 0 5 0.5 3\n");
  const auto input = read_handled_mesh(mesh, 0);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_THAT(input->handles, ElementsAre(MeshHandle{0, {1, 2, 3}}, MeshHandle{3, {0, 0, 5}}));
  constexpr double Inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(blend_handles(*input, 0.5),
              ElementsAre(0.5, 1, 1.5, -Inf, -Inf, -Inf, -Inf, -Inf, -Inf, 0, 0, 3));

  dir.write("tetrahedron.mrk", "1\n1 2 3 0.5 4\n");
  const auto too_large = read_handled_mesh(mesh, 0);
  ASSERT_FALSE(too_large);
  EXPECT_THAT(too_large.error().message(),
              AllOf(HasSubstr("tetrahedron.mrk:2"), HasSubstr("vertex 4"), HasSubstr("has 4")));
  dir.write("tetrahedron.mrk", "2\n1 2 3 0.5 0\n");
  const auto too_few = read_handled_mesh(mesh, 0);
  ASSERT_FALSE(too_few);
  EXPECT_THAT(too_few.error().message(), HasSubstr("handle 2 of 2"));
}

TEST(MeshHandles, StretchesAMeshWithoutHandles) {
  const test::TempDir dir;
  const auto mesh = dir.write("tetrahedron.off",
                              "OFF\n4 4 0\n0 0 0\n1 1 0\n0 3 0\n0 4 1\n"
                              "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n");
  const auto input = read_handled_mesh(mesh, 0);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_THAT(input->handles, ElementsAre(MeshHandle{0, {0, 0, 0}}, MeshHandle{3, {0, 4.4, 1}},
                                          MeshHandle{1, {1, 1, 0}}, MeshHandle{2, {0, 3.4, 0}}));
}

TEST(MeshHandles, ReadsThePublishedArmadillo) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/small_armadillo.ply");
  const auto input = read_handled_mesh(file, 1);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->mesh.positions.size(), 386u);
  EXPECT_EQ(input->mesh.triangles.size(), 768u);
  EXPECT_EQ(directed_edges(input->mesh.triangles, 386).size(), 2304u);
  EXPECT_EQ(input->handles.size(), 3u);
}

}  // namespace
}  // namespace thallo
