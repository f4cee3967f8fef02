// The modes that amg_pcg is told of: what they are for poses, for points, and for unknowns of
// several spaces.
#include "core/kernel/bind/unknown_modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"
#include "core/kernel/lower.h"
#include "core/linear/linear_solver.h"
#include "core/schedule/plan.h"
#include "tests/problems/loaded_problems.h"

namespace thallo::test {
namespace {

using testing::Each;

RowModes modes_of(const Made& made) {
  const KernelProgram program =
      make_program(made.energy, default_plan(made.energy),
                   {.solver = SolverKind::LevenbergMarquardt, .linear_solver = amg_pcg_solver()});
  const auto sizes = ProgramSizes::make(program, made.instance.binding).value();
  return unknown_modes(program, sizes, [&](FieldId unknown) {
    const HostArray& values = made.instance.binding.field(unknown);
    std::vector<double> result;
    for (std::size_t i = 0; i < values.size(); ++i) result.push_back(values.value(i));
    return result;
  });
}

double mode(const RowModes& modes, std::size_t row, int m) {
  const auto num_modes = static_cast<std::size_t>(modes.num_modes);
  return modes.values[row * num_modes + static_cast<std::size_t>(m)];
}

// Measurements between poses do not see a motion of all of them, wherever the poses are.
TEST(UnknownModes, OfPosesMoveNoMeasurement) {
  for (const std::int64_t dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Made made = make("pose_graph", {{"dimension", dimension}, {"rounds", 4}, {"poses_a_round", 7}});
    HostArray& fixed = made.instance.binding.field(made.energy.find_field("Fixed"));
    for (std::size_t i = 0; i < fixed.size(); ++i) fixed.set_value(i, 0);
    const RowModes modes = modes_of(made);
    ASSERT_EQ(modes.num_modes, dimension == 2 ? 3 : 6);
    const SparseMatrix j =
        EnergyEvaluator(made.energy, made.instance.binding).linearize().jacobian();
    for (int m = 0; m < modes.num_modes; ++m) {
      double largest = 0, moved = 0;
      for (std::size_t row = 0; row + 1 < j.offsets.size(); ++row) {
        double sum = 0;
        for (std::size_t k = j.offsets[row]; k < j.offsets[row + 1]; ++k) {
          const double term = j.values[k] * mode(modes, static_cast<std::size_t>(j.columns[k]), m);
          sum += term;
          largest = std::max(largest, std::abs(term));
        }
        moved = std::max(moved, std::abs(sum));
      }
      EXPECT_GT(largest, 0) << m;
      EXPECT_LT(moved, 1e-12 * largest) << m;
    }
  }
}

TEST(UnknownModes, OfPointsAreTheConstantsOfTheirChannels) {
  const RowModes modes =
      modes_of(make("arap_mesh_deformation", {{"subdivisions", 0}, {"detail", 1}}));
  // Positions and angles are of one element.
  ASSERT_EQ(modes.num_modes, 6);
  const std::size_t num_vertices = modes.kind_of.size();
  ASSERT_EQ(modes.element_of.size(), 6 * num_vertices);
  EXPECT_THAT(modes.kind_of, Each(0));
  for (std::size_t row = 0; row < modes.element_of.size(); ++row) {
    const bool is_angle = row >= 3 * num_vertices;
    EXPECT_EQ(modes.element_of[row], static_cast<int>(row / 3 % num_vertices));
    for (int m = 0; m < 6; ++m)
      EXPECT_EQ(mode(modes, row, m), m == static_cast<int>(row % 3) + (is_angle ? 3 : 0));
  }
}

TEST(UnknownModes, OfOtherSpacesAreOfOtherKinds) {
  const Made made = make("bundle_adjustment", {{"cameras", 3}, {"points", 20}});
  const RowModes modes = modes_of(made);
  const auto num_cameras = std::ranges::count(modes.kind_of, modes.kind_of[0]);
  EXPECT_EQ(num_cameras, 3);
  EXPECT_EQ(modes.kind_of.size(), 23u);
  EXPECT_EQ(modes.num_modes, 9);
}

}  // namespace
}  // namespace thallo::test
