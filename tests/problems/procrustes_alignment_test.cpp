#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/base/mesh.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/procrustes_alignment/alignment_input.h"
#include "problems/procrustes_alignment/shell.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/temp_dir.h"

namespace thallo::procrustes_alignment {
namespace {

using ::testing::HasSubstr;

constexpr double Quarter = std::numbers::pi / 2;

TEST(Motion, TurnsAboutXThenYThenZ) {
  const auto expect_moved = [](const Motion& motion, const Vector3& from, const Vector3& to) {
    const Vector3 moved = motion(from);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(moved[c], to[c], 1e-15);
  };
  expect_moved({{Quarter, 0, 0}, {}}, {0, 1, 0}, {0, 0, 1});
  expect_moved({{0, Quarter, 0}, {}}, {0, 0, 1}, {1, 0, 0});
  expect_moved({{0, 0, Quarter}, {}}, {1, 0, 0}, {0, 1, 0});
  expect_moved({{Quarter, Quarter, 0}, {1, 2, 3}}, {0, 1, 0}, {2, 2, 3});
  EXPECT_NEAR(degrees_between_rotations({{0.3, 0, 0}, {}}, {{0.3 + 1e-9, 0, 0}, {5, 5, 5}}),
              1e-9 * 180 / std::numbers::pi, 1e-13);
  EXPECT_NEAR(degrees_between_rotations({}, {{0, Quarter, 0}, {}}), 90, 1e-12);
  // About x, y and z by 180 degrees each is no turn at all.
  const double half = std::numbers::pi;
  EXPECT_NEAR(degrees_between_rotations({}, {{half, half, half}, {}}), 0, 1e-12);
}

TEST(Shell, IsATubeWithoutSymmetry) {
  const Mesh shell = make_shell(8);
  EXPECT_EQ(shell.positions.size(), 6u * 64);
  EXPECT_EQ(shell.triangles.size(), 2u * 8 * (6 * 8 - 1));
  const MeshEdges edges =
      directed_edges(shell.triangles, static_cast<std::int64_t>(shell.positions.size()));
  std::size_t border = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) border += edges.v2[e] < 0;
  EXPECT_EQ(border, 2u * 8) << "the tube's two ends";
}

TEST(AlignmentInput, LeavesTargetsOut) {
  const AlignmentInput input =
      move_points(make_shell(10), {.motion = {{1, 2, 3}, {4, 5, 6}}, .missing = 0.25});
  EXPECT_NEAR(static_cast<double>(input.num_known()), 0.75 * 600, 40);
  EXPECT_NEAR(distance(input, *input.truth), 0, 1e-12);
  EXPECT_GT(distance(input, {}), 1);
}

TEST(AlignmentInput, NeedsATargetForEachPoint) {
  const test::TempDir folder;
  const auto path = folder.write("two.off", "OFF\n2 0 0\n0 0 0\n1 0 0\n");
  Mesh source;
  source.positions = {{0, 0, 0}, {0, 1, 0}};
  const auto input = read_targets(source, path);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->num_known(), 2);
  EXPECT_DOUBLE_EQ(distance(*input, {}), 1);

  source.positions.push_back({0, 0, 0});
  const auto wrong = read_targets(source, path);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(),
              AllOf(HasSubstr("two.off"), HasSubstr("found 2 vertices"), HasSubstr("has 3")));
}

TEST(ProcrustesAlignment, HasElevenEntriesAPointAndNoCostAtTheTruth) {
  test::Made made = test::make(
      "procrustes_alignment",
      {{"around", 3}, {"angle_y", 20.0}, {"angle_z", -50.0}, {"noise", 0.0}, {"missing", 0.0}});
  const double shift = 0.5 * diagonal(make_shell(3).positions) / std::sqrt(3.0);
  const double degree = std::numbers::pi / 180;
  Binding& binding = made.instance.binding;
  ASSERT_TRUE(binding.set_field("Angle", std::vector{45 * degree, 20 * degree, -50 * degree}));
  ASSERT_TRUE(binding.set_field("Translation", std::vector{shift, shift, shift}));
  EXPECT_NEAR(test::cost_of(made), 0, 1e-12);

  // In each row the own coordinate of the translation, and the angles that the row depends on:
  // z does not depend on the turn about z.
  EnergyEvaluator evaluator(made.energy, binding);
  std::size_t entries = 0;
  for (const ResidualRow& row : evaluator.linearize(0, 5)) entries += row.partials.size();
  EXPECT_EQ(entries, 11u);
}

TEST(ProcrustesAlignment, SaysWhatIsWrongWithItsInput) {
  const test::TempDir folder;
  const auto points = folder.write("points.off", "OFF\n2 0 0\n0 0 0\n1 0 0\n").string();
  EXPECT_THAT(test::error_of("procrustes_alignment", {{"file", points}, {"subdivisions", 1}}),
              AllOf(HasSubstr("points.off"), HasSubstr("no triangles")));
  EXPECT_THAT(test::error_of("procrustes_alignment", {{"missing", 2.0}}), HasSubstr("missing"));
}

}  // namespace
}  // namespace thallo::procrustes_alignment
