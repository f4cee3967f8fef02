// The published examples, written from their mathematics: each loads, prints, has the derivatives
// that differences say, compiles to the operator it defines and takes a step, on small random data.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/diff/check.h"
#include "core/energy/print.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/language/load_energy.h"
#include "core/solve/solver.h"
#include "tests/support/backend_test.h"
#include "tests/support/drawn_data.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using test::RandomData;

const std::map<std::string, RandomData> PublishedData = {
    {"bundle_adjustment", {{{"O", 9}}, {{"points", {2, 3}}, {"cameras", {-0.2, 0.2}}}}},
    {"bundle_fusion",
     {{{"W", 6}, {"H", 5}, {"T", 3}, {"P", 2}},
      {{"Points", {1, 1.2}},
       {"Normals", {0.5, 0.6}},
       {"Rotation", {-0.05, 0.05}},
       {"Translation", {-0.05, 0.05}},
       {"fx", {1, 1}},
       {"fy", {1, 1}},
       {"cx", {1, 1}},
       {"cy", {1, 1}},
       {"width", {6, 6}},
       {"height", {5, 5}},
       {"min_depth", {0.1, 0.1}},
       {"max_depth", {4, 4}},
       {"min_cosine", {0.1, 0.1}},
       {"max_distance", {3, 3}}}}},
    {"cotangent_mesh_smoothing", {{{"N", 30}, {"E", 6}}, {}}},
    {"deconvolution", {{{"W", 3}, {"H", 2}, {"K", 15}}, {}}},
    {"embedded_mesh_deformation", {}},
    {"face_fitting",
     {{{"N", 5}, {"M", 3}, {"U", 1}}, {{"Average", {2, 3}}, {"Camera", {-0.2, 0.2}}}}},
    {"image_warping", {{}, {{"Mask", {0, 0}}, {"Constraints", {-0.5, 2}}}}},
    {"intrinsic_image_decomposition", {{}, {{"pNorm", {0.8, 0.8}}}}},
    {"procrustes_alignment", {{{"N", 6}, {"U", 1}}, {}}},
    {"robust_nonrigid_alignment", {}},
    {"shape_and_shading",
     {{{"W", 5}, {"H", 5}, {"U", 1}},
      {{"X", {0.05, 0.06}}, {"D", {0.05, 0.06}}, {"edgeMaskR", {1, 1}}, {"edgeMaskC", {1, 1}}}}},
    {"shape_from_shading",
     {{{"W", 5}, {"H", 5}},
      {{"X", {0.05, 0.06}}, {"D_i", {0.05, 0.06}}, {"edge_row", {1, 1}}, {"edge_column", {1, 1}}}}},
    {"sparse_bundle_fusion", {{}, {{"Rotation", {0, 0}}}}},  // the start of a solve
    {"spatially_varying_deconvolution", {{{"W", 3}, {"H", 2}, {"K", 17}, {"R", 2}}, {}}},
    {"volumetric_mesh_deformation", {{{"W", 3}, {"H", 2}, {"D", 3}}, {}}},
};

std::vector<fs::path> find_published_texts() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(THALLO_SOURCE_DIR) / "problems"))
    if (entry.path().extension() == ".lua" && PublishedData.contains(entry.path().stem().string()))
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

class PublishedEnergy : public testing::TestWithParam<fs::path> {
 protected:
  static Binding draw_data(const Energy& energy) {
    const auto found = PublishedData.find(energy.name());
    return test::draw_data(energy, found == PublishedData.end() ? RandomData{} : found->second);
  }
};

TEST_P(PublishedEnergy, IsUnderstoodCheckedCompiledAndSolved) {
  const Expected<EnergyFile> file = load_energy(GetParam());
  ASSERT_TRUE(file) << file.error().message();
  const Energy& energy = file->energy;
  EXPECT_EQ(to_string(energy).find("residual"), to_string(energy).find("\nresidual") + 1);
  const Binding binding = draw_data(energy);

  const CheckResult check = check_derivatives(energy, binding, {.max_points_per_group = 6});
  EXPECT_LT(check.worst_relative_error, 1e-6) << check.brief();
  EXPECT_GT(check.num_checked, check.num_skipped) << check.brief();

  const auto executable = test::interpreted(
      energy, default_plan(energy), {SolverKind::LevenbergMarquardt, jacobi_preconditioner()});
  const auto errors = OperatorTruth(energy, binding).errors_of(*executable, 1);
  EXPECT_LT(errors.worst(), 1e-11) << errors.text();

  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  options.preconditioner = "jacobi";
  options.num_iterations = 1;
  options.trust_region_radius = 1e-3;  // a short step descends, whatever the data are
  ASSERT_TRUE(executable->bind(binding));
  const Expected<SolverSummary> summary = solve(*executable, options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_LT(summary->final_cost, summary->initial_cost) << summary->full();
}

INSTANTIATE_TEST_SUITE_P(Texts, PublishedEnergy, testing::ValuesIn(find_published_texts()),
                         [](const auto& tested) { return tested.param.stem().string(); });

}  // namespace
}  // namespace thallo
