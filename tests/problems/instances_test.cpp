// What the problems make of their options, judged by EnergyEvaluator and by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/diff/check.h"
#include "core/energy/evaluate/evaluator.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

TEST(Problems, AreLoadedAndDescribeThemselves) {
  EXPECT_THAT(loaded_problems().names(),
              IsSupersetOf({"arap_mesh_deformation", "bundle_adjustment", "bundle_fusion",
                            "cotangent_mesh_smoothing", "curve_fit", "deconvolution",
                            "embedded_mesh_deformation", "face_fitting", "image_warping",
                            "intrinsic_image_decomposition", "optical_flow",
                            "poisson_image_editing", "pose_graph", "procrustes_alignment",
                            "robust_nonrigid_alignment", "shape_and_shading", "shape_from_shading",
                            "spatially_varying_deconvolution", "volumetric_mesh_deformation"}));
  for (const auto* entry : loaded_problems().entries()) {
    const ProblemInfo info = entry->item->info();
    EXPECT_EQ(info.name, entry->name);
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.citation.empty());
    for (const OptionSpec& option : entry->item->options()) {
      EXPECT_TRUE(option.doc.ends_with('.')) << entry->name << " " << option.name;
    }
  }
}

TEST(Problems, GenerateTheirDefaultInput) {
  for (const auto* entry : loaded_problems().entries()) {
    const Made made = make(entry->name, {});
    EXPECT_TRUE(made.instance.solver.validate()) << entry->name;
    EXPECT_FALSE(made.instance.title.empty());
    EXPECT_GT(made.instance.binding.num_unknowns(made.energy), 0);
    constexpr std::int64_t FewResiduals = 50000;  // the evaluator is not made for speed
    if (made.instance.binding.num_residuals(made.energy) > FewResiduals) continue;
    EXPECT_TRUE(std::isfinite(cost_of(made))) << entry->name;
  }
}

// What `thallo check` reports.
TEST(Problems, HaveRightDerivatives) {
  for (const auto& [problem, options] : small_instances()) {
    const Made made = make(problem, options);
    const CheckResult check =
        check_derivatives(made.energy, made.instance.binding, {.max_points_per_group = 8});
    EXPECT_LT(check.worst_relative_error, 1e-6) << problem << ": " << check.brief();
    EXPECT_GT(check.num_checked, 8) << problem;
  }
}

TEST(CurveFit, CostIsHalfTheSumOfSquares) {
  THALLO_REQUIRE_DATA(folder, "nist");
  Made made = make("curve_fit", {{"nist", "BoxBOD"}, {"nist_dir", folder.string()}, {"start", 2}});
  // At the certified parameters it is half the certified sum.
  ASSERT_TRUE(
      made.instance.binding.set_field("b", std::vector{2.1380940889E+02, 5.4723748542E-01}));
  EXPECT_NEAR(cost_of(made), 0.5 * 1.1680088766E+03, 1e-6);
  EXPECT_EQ(made.instance.solver.linear_solver, "dense");
  EXPECT_EQ(made.instance.precision, Precision::Double);
}

TEST(CurveFit, TakesAFileToo) {
  THALLO_REQUIRE_DATA(file, "nist/Nelson.dat");
  const Made made = make("curve_fit", {{"file", file.string()}});
  EXPECT_EQ(made.instance.title, "Nelson");
  EXPECT_EQ(made.instance.binding.num_residuals(made.energy), 128);
  EXPECT_EQ(made.instance.binding.num_unknowns(made.energy), 3);
}

TEST(CurveFit, SaysWhatIsWrongWithItsOptions) {
  const TempDir folder;
  EXPECT_THAT(error_of("curve_fit", {{"nist", "Misra1x"}}),
              AllOf(HasSubstr("no data set 'Misra1x'"), HasSubstr("Misra1a")));
  EXPECT_THAT(error_of("curve_fit", {{"nist", "Misra1a"}, {"nist_dir", folder.path().string()}}),
              HasSubstr("Misra1a.dat"));
  EXPECT_THAT(error_of("curve_fit", {{"nist", "Misra1a"}, {"file", "x.dat"}}),
              HasSubstr("both name a data set"));
  EXPECT_THAT(error_of("curve_fit", {{"start", 3}}), HasSubstr("start"));
  EXPECT_THAT(error_of("curve_fit", {{"file", folder.write("x.dat", "1 2 3\n").string()}}),
              HasSubstr("x.dat:1: this is no NIST StRD data set"));
}

TEST(BundleAdjustment, InitialCostsAreThoseOfTheIndex) {
  const std::pair<const char*, double> costs[] = {
      {"bal/dubrovnik-3-7-18-pre.txt", 2.753173947e+03},
      {"bal/dubrovnik-3-7-pre.txt", 2.764219984e+03},
      {"bal/ladybug-49-7776-pre-shrink-1800.txt.bz2", 2.345197986e+05}};
  for (const auto& [name, cost] : costs) {
    THALLO_REQUIRE_DATA(file, name);
    EXPECT_NEAR(cost_of(make("bundle_adjustment", {{"file", file.string()}})) / cost, 1, 5e-10)
        << name;
  }
}

TEST(BundleAdjustment, HasTwentyFourEntriesAnObservation) {
  const Made made =
      make("bundle_adjustment", {{"cameras", 4}, {"points", 20}, {"track_length", 3.0}});
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  const std::int64_t num_observations = evaluator.num_points(0);
  EXPECT_EQ(evaluator.num_residuals(), 2 * num_observations);
  for (std::int64_t o = 0; o < num_observations; ++o) {
    std::size_t entries = 0;
    for (const ResidualRow& row : evaluator.linearize(0, o)) entries += row.partials.size();
    EXPECT_EQ(entries, 24u) << "observation " << o;
  }
}

TEST(BundleAdjustment, SortsItsObservations) {
  THALLO_REQUIRE_DATA(file, "bal/ladybug-49-7776-pre-shrink-1800.txt.bz2");
  const Made made = make("bundle_adjustment", {{"file", file.string()}});
  const auto& cameras = made.instance.binding.map(made.energy.find_map("camera_of"));
  const auto& points = made.instance.binding.map(made.energy.find_map("point_of"));
  for (std::size_t i = 1; i < cameras.size(); ++i) {
    ASSERT_LT(std::pair(cameras[i - 1], points[i - 1]), std::pair(cameras[i], points[i]));
  }
}

TEST(BundleAdjustment, SaysWhatIsWrongWithItsInput) {
  const TempDir folder;
  EXPECT_THAT(error_of("bundle_adjustment", {{"file", (folder.path() / "absent.txt").string()}}),
              HasSubstr("absent.txt"));
  EXPECT_THAT(error_of("bundle_adjustment", {{"file", folder.write("x.txt", "hello\n").string()}}),
              HasSubstr("x.txt:1"));
  EXPECT_THAT(error_of("bundle_adjustment", {{"track_length", 1.0}}), HasSubstr("track_length"));
  EXPECT_THAT(error_of("bundle_adjustment", {{"camera", 5}}), HasSubstr("cameras"))
      << "the nearest option is named";
}

TEST(ImageWarping, HasTwentySixEntriesAPixel) {
  Made made = make("image_warping", {{"size", 16}});
  Binding& binding = made.instance.binding;
  ASSERT_TRUE(binding.set_field("Mask", std::vector<std::uint8_t>(256, 0)));
  ASSERT_TRUE(binding.set_field("Constraints", std::vector<double>(512, 4.0)));
  ASSERT_TRUE(binding.set_field("Angle", std::vector<double>(256, 0.3)));
  EnergyEvaluator evaluator(made.energy, binding);
  ASSERT_EQ(made.energy.groups().size(), 5u);
  const std::int64_t inner = 16 * 7 + 5;
  std::size_t entries = 0;
  for (std::size_t group = 0; group < 5; ++group) {
    for (const ResidualRow& row : evaluator.linearize(group, inner)) {
      for (const AccessPartial& partial : row.partials) entries += partial.value.value != 0;
    }
  }
  // The constraint 2; each of 4 neighbors 2 rows of own place, neighbor's place and angle (which
  // is not 0, so that no derivative of the turned edge vanishes).
  EXPECT_EQ(entries, 26u);
}

TEST(ImageWarping, StartsWithTheHandlesPulling) {
  const Made made = make("image_warping", {{"size", 64}, {"solves", 4}, {"fit_weight", 9.0}});
  // At rest nothing is bent, so the cost is that of the handles: a quarter of their way each.
  const auto places = field_of(made, "UrShape");
  const auto goals = field_of(made, "Constraints");
  double sum = 0;
  const auto mask = field_of(made, "Mask");
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0 || goals[2 * i] < 0) continue;
    sum += std::pow(goals[2 * i] - places[2 * i], 2) +
           std::pow(goals[2 * i + 1] - places[2 * i + 1], 2);
  }
  EXPECT_GT(sum, 0);
  EXPECT_NEAR(cost_of(made), 0.5 * 9.0 * sum, 1e-9 * sum);
}

TEST(ImageWarping, AdvanceBlendsTheConstraintsInNineteenSolves) {
  Made made = make("image_warping", {{"size", 48}});
  const auto places = field_of(made, "UrShape");
  const auto first = field_of(made, "Constraints");
  std::vector<double> last = first;
  int solves = 1;
  while (*made.problem->advance(made.instance, solves - 1, {})) {
    last = field_of(made, "Constraints");
    ++solves;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] < 0) {
        EXPECT_EQ(last[i], -1) << "no constraint stays none";
      } else {
        EXPECT_NEAR(last[i] - places[i], solves * (first[i] - places[i]), 1e-9);
      }
    }
  }
  EXPECT_EQ(solves, 19);
  int handles = 0;
  for (std::size_t i = 0; i < first.size(); i += 2) {
    if (first[i] < 0 || (last[i] == places[i] && last[i + 1] == places[i + 1])) continue;
    ++handles;
    EXPECT_EQ(last[i], std::round(last[i])) << "goals are whole pixels";
  }
  EXPECT_GE(handles, 4);
}

TEST(ImageWarping, UsesThePublishedCounts) {
  const Made made = make("image_warping", {{"size", 32}});
  EXPECT_EQ(made.instance.solver.num_iterations, 8);
  EXPECT_EQ(made.instance.solver.num_linear_iterations, 100);
  EXPECT_EQ(made.instance.solver.effective_function_tolerance(), 0) << "all of them run";
  EXPECT_EQ(made.instance.solver.q_tolerance, 0);
  EXPECT_EQ(made.instance.binding.param(made.energy.find_field("w_fitSqrt")), 10);
  EXPECT_EQ(made.instance.binding.param(made.energy.find_field("w_regSqrt")), 0.1);
}

TEST(ImageWarping, SaysWhatIsWrongWithItsInput) {
  const TempDir folder;
  EXPECT_THAT(error_of("image_warping", {{"file", (folder.path() / "absent.png").string()}}),
              HasSubstr("absent.png"));
  EXPECT_THAT(error_of("image_warping", {{"file", folder.write("x.png", "hello").string()}}),
              HasSubstr("x.png"));
  EXPECT_THAT(error_of("image_warping", {{"size", 4}}), HasSubstr("size"));
}

}  // namespace
}  // namespace thallo::test
