#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/mesh.h"
#include "core/base/random.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/robust_nonrigid_alignment/caterpillar.h"
#include "problems/robust_nonrigid_alignment/correspondences.h"
#include "problems/robust_nonrigid_alignment/tetrahedra.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::robust_nonrigid_alignment {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr;

TEST(NearestPoints, AreThoseOfASearchOfAll) {
  Random random(3);
  const auto place = [&] {
    return std::array<double, 3>{random.uniform(), random.uniform(), random.uniform()};
  };
  std::vector<std::array<double, 3>> points;
  for (int i = 0; i < 300; ++i) points.push_back(place());
  const NearestPoints nearest(points);
  for (int i = 0; i < 20; ++i) {
    const std::array<double, 3> from = place();
    std::vector<double> all;
    for (const auto& point : points) all.push_back(distance(from, point));
    const auto found = nearest.find(from, 7);
    ASSERT_EQ(found.size(), 7u);
    for (const auto& one : found)
      EXPECT_NEAR(one.distance, all[static_cast<std::size_t>(one.point)], 1e-12);
    std::ranges::sort(all);
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k].distance, all[k], 1e-12);
  }
  EXPECT_EQ(nearest.find({0, 0, 0}, 1000).size(), 300u);
}

// A square in the plane z = 0 that looks up, and above it one that looks down.
Mesh squares(bool looks_up, double z) {
  Mesh mesh;
  mesh.positions = {{0, 0, z}, {1, 0, z}, {1, 1, z}, {0, 1, z}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  if (!looks_up) mesh.triangles = {{0, 2, 1}, {0, 3, 2}};
  mesh.normals = vertex_normals(mesh.triangles, mesh.positions);
  return mesh;
}

TEST(Correspondences, AreNearAndLookTheSameWayButForAShareOfTheVertices) {
  Mesh both = squares(false, 0.1f);  // nearest to the mesh, but from behind
  const Mesh up = squares(true, 0.3f);
  for (const Triangle& t : up.triangles) both.triangles.push_back({t[0] + 4, t[1] + 4, t[2] + 4});
  both.positions.insert(both.positions.end(), up.positions.begin(), up.positions.end());
  both.normals.insert(both.normals.end(), up.normals.begin(), up.normals.end());
  const Scan scan(both);
  const Mesh mesh = squares(true, 0);
  EXPECT_THAT(match(scan, mesh, {.num_neighbors = 8, .max_distance = 0.5, .min_cosine = 0.7}),
              ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(match(scan, mesh, {.num_neighbors = 8, .max_distance = 0.2, .min_cosine = 0.7}),
              ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(match(scan, mesh, {.num_neighbors = 1, .max_distance = 0.5, .min_cosine = 0.7}),
              ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(match(scan, mesh, {.num_neighbors = 1, .max_distance = 0.5, .min_cosine = -1.5}),
              ElementsAre(0, 1, 2, 3));
  EXPECT_NEAR(distance_to_scan(scan, mesh.positions), 0.1, 1e-6);
  const auto spurious = draw_spurious(4000, 50, 0.05, 1);
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(spurious, [](auto p) { return p >= 0; })),
              200, 50);
  EXPECT_TRUE(std::ranges::all_of(spurious, [](auto p) { return p < 50; }));
  EXPECT_EQ(spurious, draw_spurious(4000, 50, 0.05, 1));
}

TEST(Tetrahedra, AreReadFromBothBases) {
  const auto from_0 = parse_tetrahedra("a.ele", "# a comment\n1 4 1\n0 0 1 2 3 9\n# end\n", 4);
  ASSERT_TRUE(from_0) << from_0.error().message();
  EXPECT_THAT(*from_0, ElementsAre(Tetrahedron{0, 1, 2, 3}));
  const auto from_1 = parse_tetrahedra("a.ele", "1 4 0\n1 1 2 3 4\n", 4);
  ASSERT_TRUE(from_1) << from_1.error().message();
  EXPECT_EQ(*from_1, *from_0);
  EXPECT_EQ(edges_of(*from_0).size(), 12u);
  const auto error_of = [](const std::string& text) {
    const auto parsed = parse_tetrahedra("a.ele", text, 4);
    return parsed ? std::string("no error") : parsed.error().message();
  };
  EXPECT_THAT(error_of("1 10 0\n"), AllOf(HasSubstr("a.ele:1"), HasSubstr("'10'")));
  EXPECT_THAT(error_of("2 4 0\n0 0 1 2 3\n"), HasSubstr("tetrahedron 2 of 2"));
  EXPECT_THAT(error_of("1 4 0\n0 0 1 2 4\n"),
              AllOf(HasSubstr("a.ele:2"), HasSubstr("vertex 4"), HasSubstr("has 4")));
  EXPECT_THAT(error_of("1 4 0\n0 0 1 2 3\n5\n"), HasSubstr("the end of the file"));
}

TEST(Caterpillar, ArchesItsBackAndKeepsItsLength) {
  const AlignmentInput input = make_caterpillar(12, 3);
  ASSERT_EQ(input.scans.size(), 3u);
  ASSERT_EQ(input.truth.size(), input.source.positions.size());
  const auto height = [](const std::vector<std::array<double, 3>>& positions) {
    double top = 0;
    for (const auto& p : positions) top = std::max(top, p[1]);
    return top;
  };
  EXPECT_LT(height(input.source.positions), 0.5);
  EXPECT_LT(height(input.scans[0].positions), height(input.scans[1].positions));
  EXPECT_NEAR(height(input.scans[2].positions), height(input.truth), 0.02);
  const auto edges = surface_edges(input.source);
  EXPECT_LT(edges.size(), input.edges.size()) << "struts";
  EXPECT_NEAR(mean_length(edges, input.truth) / mean_length(edges, input.source.positions), 1,
              0.05);
  for (const Mesh& mesh : input.scans) EXPECT_EQ(mesh.normals.size(), mesh.positions.size());
}

// Nothing moves between the solves here, so correspondences stay and each scan has one solve; the
// confidences begin anew.
TEST(RobustNonrigidAlignment, GoesOnToTheNextScanWhenNoCorrespondenceIsNew) {
  test::Made made = test::make("robust_nonrigid_alignment", {{"around", 8}, {"targets", 3}});
  const auto first = test::field_of(made, "Constraints");
  EXPECT_GT(std::ranges::count_if(first, [](double c) { return std::isfinite(c); }),
            static_cast<std::ptrdiff_t>(first.size() / 2));
  const FieldId weights = made.energy.find_field("RobustWeights");
  made.instance.binding.field(weights) = std::vector<double>(first.size() / 3, 0.25);
  int solves = 1;
  while (*made.problem->advance(made.instance, solves - 1, {})) {
    ++solves;
    EXPECT_EQ(test::field_of(made, "RobustWeights"), std::vector<double>(first.size() / 3, 1.0));
    EXPECT_NE(test::field_of(made, "Constraints"), first);
  }
  EXPECT_EQ(solves, 3);
}

// The body moves to the scan, so vertices get other correspondences and the body becomes softer.
TEST(RobustNonrigidAlignment, SoftensWhileCorrespondencesChange) {
  test::Made made = test::make("robust_nonrigid_alignment",
                               {{"around", 8}, {"targets", 1}, {"solves", 40}, {"few", 0}});
  const FieldId offset = made.energy.find_field("Offset");
  int solves = 1;
  for (;; ++solves) {
    std::vector<double> places = made.instance.binding.field(offset).to_doubles();
    for (std::size_t v = 0; v < places.size(); v += 3) places[v] += solves % 2 == 0 ? 0.2 : -0.2;
    made.instance.binding.field(offset) = places;
    if (!*made.problem->advance(made.instance, solves - 1, {})) break;
    EXPECT_NEAR(std::pow(made.instance.binding.param(made.energy.find_field("w_regSqrt")), 2),
                std::max(4.0, 64 * std::pow(0.9, solves)), 1e-9);
  }
  EXPECT_EQ(solves, 40);
}

TEST(RobustNonrigidAlignment, SaysWhatIsWrongWithItsInput) {
  const test::TempDir folder;
  const auto mesh = folder.write("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").string();
  const auto points = folder.write("b.off", "OFF\n1 0 0\n0 0 0\n").string();
  EXPECT_THAT(test::error_of("robust_nonrigid_alignment", {{"file", mesh}}), HasSubstr("target"));
  EXPECT_THAT(test::error_of("robust_nonrigid_alignment", {{"file", mesh}, {"target", points}}),
              AllOf(HasSubstr("b.off"), HasSubstr("no triangles")));
  const auto tetrahedra = folder.write("a.ele", "1 4 0\n0 0 1 2 3\n").string();
  EXPECT_THAT(test::error_of("robust_nonrigid_alignment",
                             {{"file", mesh}, {"target", mesh}, {"tetrahedra", tetrahedra}}),
              AllOf(HasSubstr("a.ele:2"), HasSubstr("vertex 3")));
}

TEST(RobustNonrigidAlignment, ReadsThePublishedSquat) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/squat_source.obj.xz");
  THALLO_REQUIRE_DATA(target, "opt_thallo/squat_target/mesh_0043.obj.xz");
  THALLO_REQUIRE_DATA(tetrahedra, "opt_thallo/squat_tetmesh.ele.xz");
  const test::Made made =
      test::make("robust_nonrigid_alignment", {{"file", file.string()},
                                               {"target", target.string()},
                                               {"tetrahedra", tetrahedra.string()},
                                               {"targets", 100}});
  using testing::Pair;
  EXPECT_THAT(made.instance.labels,
              testing::IsSupersetOf({Pair("vertices", "10002"), Pair("directed edges", "113036"),
                                     Pair("scans", "8")}));
}

}  // namespace
}  // namespace thallo::robust_nonrigid_alignment
