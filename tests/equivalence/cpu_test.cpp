// Emitted C against the definition of the energy, in double and float, with each number of threads
// and both index widths' worth of code.

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/kernel/lower.h"
#include "tests/support/conformance.h"
#include "tests/support/sample_energies.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

constexpr ProgramOptions damped_blocks{SolverKind::LevenbergMarquardt,
                                       PreconditionerKind::BlockJacobi, LinearSolverKind::Pcg};
constexpr ProgramOptions dense{SolverKind::LevenbergMarquardt, PreconditionerKind::None,
                               LinearSolverKind::Dense};

class CompiledProgram : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_cpu_backend();
    if (!made) GTEST_SKIP() << made.error().message();
    backend_ = *std::move(made);
  }

  // NaN where the program does not compile.
  double worst_error(const test::SampleEnergy& sample, const ProgramOptions& options,
                     const CompileOptions& compile_options) {
    const Plan plan = default_plan(sample.energy);
    auto executable =
        backend_->compile(make_program(sample.energy, plan, options), compile_options);
    if (!executable) {
      ADD_FAILURE() << sample.name << ": " << executable.error().message();
      return 1;
    }
    const auto errors = test::conformance_errors(**executable, sample.energy, sample.binding, 5);
    return errors.worst();
  }

  std::unique_ptr<Backend> backend_;
};

TEST_F(CompiledProgram, ComputesTheOperatorOfEachSampleEnergy) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    EXPECT_LT(worst_error(sample, damped_blocks, {.double_precision = true}), 1e-12) << sample.name;
    EXPECT_LT(worst_error(sample, damped_blocks, {.double_precision = false}), 1e-5) << sample.name;
  }
}

TEST_F(CompiledProgram, FormsTheDenseNormalMatrix) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    EXPECT_LT(worst_error(sample, dense, {.double_precision = true}), 1e-12) << sample.name;
  }
}

}  // namespace
}  // namespace thallo
