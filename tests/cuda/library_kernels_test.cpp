// The hand-written kernels of linear solvers and preconditioners, which take long to compile: each
// text for one of the architectures, in turn, or, with THALLO_SLOW_TESTS, for all of them.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "core/backend/cuda/dense_text.h"
#include "core/backend/cuda/multigrid_text.h"
#include "core/kernel/lower.h"
#include "tests/cuda/support.h"
#include "tests/support/energies.h"
#include "tests/support/grid_energies.h"

namespace thallo::cuda {
namespace {

void expect_compile_silently(const std::vector<Source>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
#ifdef THALLO_SLOW_TESTS
    test::expect_compiles_silently(sources[i]);
#else
    test::expect_compiles_silently(sources[i], std::span(test::architectures).subspan(i % 3, 1));
#endif
  }
}

TEST(LibraryKernels, OfDenseMatricesCompile) {
  THALLO_REQUIRE_NVRTC();
  expect_compile_silently({dense_source(ScalarType::Float), dense_source(ScalarType::Double)});
}

TEST(LibraryKernels, OfMultigridCompile) {
  THALLO_REQUIRE_NVRTC();
  const auto source = [](const Energy& energy, SolverKind solver, Precision precision) {
    const ProgramOptions options{.solver = solver, .preconditioner = PreconditionerKind::Multigrid};
    return multigrid_source(make_program(energy, default_plan(energy), options), precision);
  };
  expect_compile_silently(
      {source(test::image_energy(), SolverKind::LevenbergMarquardt, Precision::Float),
       source(test::lattice_energy(1, 1), SolverKind::GaussNewton, Precision::Double),
       source(test::lattice_energy(3, 1), SolverKind::GaussNewton, Precision::Float)});
}

}  // namespace
}  // namespace thallo::cuda
