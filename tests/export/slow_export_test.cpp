// Every problem that is shipped, exported with its default data, and what is exported to CUDA.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/export/exported_solver.h"
#include "tests/support/subprocess.h"

namespace thallo::test {
namespace {

class ExportedProblem : public testing::TestWithParam<const char*> {};

TEST_P(ExportedProblem, MakesTheStepsOfSolve) {
  expect_equal_solves({GetParam(), "--backend", "cpu", "--double", "--schedule", "default", "--set",
                       "linear_solver=pcg", "--set", "nIterations=5", "--set", "lIterations=8"},
                      1e-8);
}

INSTANTIATE_TEST_SUITE_P(All, ExportedProblem,
                         testing::Values("arap_mesh_deformation", "bundle_adjustment",
                                         "cotangent_mesh_smoothing", "curve_fit", "deconvolution",
                                         "embedded_mesh_deformation", "face_fitting",
                                         "image_warping", "intrinsic_image_decomposition",
                                         "optical_flow", "poisson_image_editing", "pose_graph",
                                         "procrustes_alignment", "robust_nonrigid_alignment",
                                         "shape_from_shading", "volumetric_mesh_deformation"));

class ExportedToCuda : public testing::TestWithParam<const char*> {};

// Without a GPU the sources are compiled, and the example finds none.
TEST_P(ExportedToCuda, CompilesWithoutWarnings) {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc";
  if (!std::filesystem::exists(nvcc)) GTEST_SKIP() << "there is no " << nvcc;
  ExportedSolver solver({GetParam(), "--backend", "cuda", "--schedule", "opt", "--set",
                         "linear_solver=pcg", "--set", "nIterations=3"});
  ASSERT_EQ(solver.write(), "");
  const std::string build = solver.path("build");
  const ProcessResult made =
      run_process({"/usr/bin/env", "cmake", "-S", solver.path("solver"), "-B", build,
                   "-DCMAKE_CUDA_ARCHITECTURES=90", "-DCMAKE_CUDA_COMPILER=" + nvcc,
                   "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror",
                   "-DCMAKE_CUDA_FLAGS=-Xcompiler=-Wall,-Wextra -Werror=all-warnings"},
                  {}, std::chrono::seconds(100));
  ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
  const ProcessResult built =
      run_process({"/usr/bin/env", "cmake", "--build", build, "--parallel", "2"}, {},
                  std::chrono::seconds(500));
  EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
}

INSTANTIATE_TEST_SUITE_P(Some, ExportedToCuda,
                         testing::Values("image_warping", "arap_mesh_deformation"));

}  // namespace
}  // namespace thallo::test
