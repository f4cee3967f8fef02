// The hand-written kernels of linear solvers and preconditioners, which take long to compile: the
// first of some texts to machine code, the others to PTX, where the compiler has said all that it
// has to say of a text, each for one of the architectures, in turn. With THALLO_SLOW_TESTS all are
// compiled to machine code for all of them.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "core/backend/cuda/multigrid_text.h"
#include "core/backend/cuda/sources.h"
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
    const std::string_view architecture = test::architectures[i % 3];
    const auto image = i == 0 ? compile_to_cubin(sources[i], architecture)
                              : compile_to_ptx(sources[i], architecture);
    ASSERT_TRUE(image.has_value()) << image.error().what << "\n" << sources[i].text;
    EXPECT_EQ(image->log, "") << sources[i].text;
#endif
  }
}

TEST(LibraryKernels, OfDenseMatricesCompile) {
  THALLO_REQUIRE_NVRTC();
  expect_compile_silently({dense_source(ScalarType::Float), dense_source(ScalarType::Double)});
}

// Finds what NVRTC says of the cycle, one long text, which no other test compiles.
TEST(LibraryKernels, OfMultigridCompile) {
  THALLO_REQUIRE_NVRTC();
  const auto source = [](const Energy& energy, SolverKind solver, Precision precision) {
    const ProgramOptions options{.solver = solver, .preconditioner = multigrid_preconditioner()};
    return multigrid_source(make_program(energy, default_plan(energy), options), precision);
  };
  expect_compile_silently(
      {source(test::image_energy(), SolverKind::LevenbergMarquardt, Precision::Float),
       source(test::lattice_energy(1, 1), SolverKind::GaussNewton, Precision::Double),
       source(test::lattice_energy(3, 1), SolverKind::GaussNewton, Precision::Float)});
}

}  // namespace
}  // namespace thallo::cuda
