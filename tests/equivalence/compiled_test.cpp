// Generated code against the definition of the energy, on every backend that is on this machine.

#include <gtest/gtest.h>

#include <algorithm>

#include <iterator>

#include "core/base/error.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/energies.h"
#include "tests/support/narrow_plan.h"
#include "tests/support/sample_energies.h"
#include "tests/support/scoped_env.h"

namespace thallo {
namespace {

struct Case {
  const char* backend;
  Precision precision;
};

class CompiledProgram : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { make_backend(); }

  // Loops whose points depend on each other compute something else in vectors, which -O1 makes of
  // the loops that the text marks.
  void vectorize_in_single() {
    const test::ScopedEnv optimized("THALLO_CC_OPTIMIZATION", "1");
    if (GetParam().precision == Precision::Float) make_backend();
  }

  void make_backend() {
    const std::string name = GetParam().backend;
    Expected<std::unique_ptr<Backend>> made =
        name == "cpu" ? make_cpu_backend() : make_cuda_backend();
    if (!made) GTEST_SKIP() << made.error().message();
    backend_ = *std::move(made);
  }

  double tolerance() const {
    return GetParam().precision == Precision::Double ? DoubleTolerance : FloatTolerance;
  }

  std::unique_ptr<Executable> compile(const Energy& energy, const ProgramOptions& options) const {
    return compile(energy, default_plan(energy), options);
  }
  std::unique_ptr<Executable> compile(const Energy& energy, const Plan& plan,
                                      const ProgramOptions& options) const {
    CompileOptions compile_options;
    compile_options.precision = GetParam().precision;
    Expected<std::unique_ptr<Executable>> executable =
        backend_->compile(generate(make_program(energy, plan, options)), compile_options);
    if (!executable) throw InternalError(executable.error().message(), __FILE__, __LINE__);
    return *std::move(executable);
  }

  std::unique_ptr<Backend> backend_;
};

TEST_P(CompiledProgram, ComputesTheOperatorOfEachSampleEnergy) {
  vectorize_in_single();
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    const auto executable = compile(sample.energy, test::damped_blocks);
    const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 1);
    EXPECT_LT(errors.worst(), tolerance()) << sample.name << ": " << errors.text();
  }
}

TEST_P(CompiledProgram, FormsTheMatrixOfDirectSolvers) {
  for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()}) {
    for (const test::SampleEnergy& sample : test::sample_energies()) {
      const auto executable = compile(
          sample.energy, {SolverKind::LevenbergMarquardt, PreconditionerKind::None, solver});
      const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 2);
      EXPECT_LT(errors.worst(), tolerance())
          << solver->name() << ", " << sample.name << ": " << errors.text();
    }
  }
}

// One kind of storage an energy, in turn.
TEST_P(CompiledProgram, ComputesTheOperatorOfStoredMatrices) {
  struct Stored {
    Strategy strategy;
    StorageFormat j, jtj;
  };
  using enum StorageFormat;
  constexpr Stored kinds[] = {
      {Strategy::StoredJtJ, Structured, Csr},      {Strategy::StoredJ, Csr, Structured},
      {Strategy::StoredJtJ, Structured, Dense},    {Strategy::StoredJ, Dense, Structured},
      {Strategy::StoredJtJ, Structured, Blocks},   {Strategy::StoredJtJOfStoredJ, Csr, Csr},
      {Strategy::StoredJtJOfStoredJ, Dense, Dense}};
  std::size_t kind = 0;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    Plan plan = default_plan(sample.energy);
    const Stored& stored = kinds[kind++ % std::size(kinds)];
    for (Part& part : plan.parts) {
      part.strategy = stored.strategy;
      part.j_format = stored.j;
      part.jtj_format = stored.jtj;
    }
    const auto executable = compile(sample.energy, plan, test::damped_blocks);
    const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 3);
    EXPECT_LT(errors.worst(), tolerance()) << sample.name << ": " << errors.text();
  }
}

// cuSPARSE takes no matrix of more entries than rows times columns.
TEST_P(CompiledProgram, ComputesTheOperatorOfAJOfMoreEntriesThanPlaces) {
  const Energy energy = test::wide_energy();
  Plan plan = default_plan(energy);
  plan.parts.front().j_format = StorageFormat::Csr;
  for (const Strategy strategy : {Strategy::StoredJ, Strategy::StoredJtJOfStoredJ}) {
    plan.parts.front().strategy = strategy;
    const auto executable = compile(energy, plan, test::damped_blocks);
    const auto errors = conformance_errors(*executable, energy, test::bind_wide(energy), 7);
    EXPECT_LT(errors.worst(), tolerance()) << errors.text();
  }
}

TEST_P(CompiledProgram, ComputesTheOperatorWithParallelSums) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    Plan plan = default_plan(sample.energy);
    if (plan.sums.empty()) continue;
    for (PlannedSum& sum : plan.sums) sum.is_parallel = true;
    const auto executable = compile(sample.energy, plan, test::damped_blocks);
    const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 8);
    EXPECT_LT(errors.worst(), tolerance()) << sample.name << ": " << errors.text();
  }
}

// J, JtJ and Jp in half precision, one strategy an energy in turn.
TEST_P(CompiledProgram, ComputesTheOperatorOfProductsKeptInHalf) {
  constexpr Strategy strategies[] = {Strategy::StoredJ, Strategy::StoredJp, Strategy::StoredJtJ,
                                     Strategy::StoredJtJOfStoredJ};
  std::size_t number = 0;
  double worst = 0;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    const Plan plan = test::stored_in(ScalarType::Half, 4e-3, sample.energy,
                                      strategies[number++ % std::size(strategies)]);
    const auto executable = compile(sample.energy, plan, test::damped_blocks);
    const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 4);
    EXPECT_TRUE(errors.within(tolerance(), plan)) << sample.name << ": " << errors.text();
    worst = std::max(worst, errors.jtjp);
  }
  EXPECT_GT(worst, 2e-5);  // memory did round
}

// One strategy an energy in turn; also where elements have as many channels as a chunk.
TEST_P(CompiledProgram, ComputesTheOperatorWithBlockedVectors) {
  constexpr Strategy strategies[] = {Strategy::JtJp, Strategy::StoredJp, Strategy::StoredJ};
  std::size_t number = 0;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    Plan plan = default_plan(sample.energy);
    plan.vector_order = VectorOrder::Blocked;
    for (Part& part : plan.parts) part.strategy = strategies[number % std::size(strategies)];
    ++number;
    const auto executable = compile(sample.energy, plan, test::damped_blocks);
    const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 5);
    EXPECT_LT(errors.worst(), tolerance()) << sample.name << ": " << errors.text();
  }
}

// Plain and blocked, in turn.
TEST_P(CompiledProgram, ComputesTheOperatorWithVectorsKeptInSingle) {
  std::size_t number = 0;
  double worst = 0;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    Plan plan = default_plan(sample.energy);
    plan.vector_type = ScalarType::Float;
    plan.product_tolerance = 1e-5;
    if (number++ % 2 == 1) plan.vector_order = VectorOrder::Blocked;
    const auto executable =
        compile(sample.energy, plan,
                {SolverKind::LevenbergMarquardt, PreconditionerKind::Jacobi, pcg_solver()});
    const auto errors = conformance_errors(*executable, sample.energy, sample.binding, 6);
    EXPECT_TRUE(errors.within(tolerance(), plan)) << sample.name << ": " << errors.text();
    worst = std::max(worst, errors.jtjp);
  }
  EXPECT_GT(worst, 1e-9);  // memory did round
}

INSTANTIATE_TEST_SUITE_P(
    Backends, CompiledProgram,
    testing::Values(Case{"cpu", Precision::Double}, Case{"cpu", Precision::Float},
                    Case{"cuda", Precision::Double}, Case{"cuda", Precision::Float}),
    [](const auto& test) {
      return std::string(test.param.backend) + "_" + std::string(to_string(test.param.precision));
    });

}  // namespace
}  // namespace thallo
