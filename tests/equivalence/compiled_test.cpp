// Generated code against the definition of the energy, on every backend that is on this machine.
//
// A compiler runs for each kernel, so two energies in a row are compiled in double and two in
// float, the same in all cases, which share most kernels then. With THALLO_SLOW_TESTS all are
// compiled in both. No other test compares what C or CUDA makes of a program, feature by feature:
// the other equivalence tests run programs on the interpreter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/backend_test.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/energies.h"
#include "tests/support/in_turn.h"
#include "tests/support/narrow_plan.h"
#include "tests/support/sample_energies.h"
#include "tests/support/scoped_env.h"

namespace thallo {
namespace {

const std::vector<Precision> precisions = {Precision::Double, Precision::Float};

// Where vectors or products are kept otherwise, half of the energies are compiled by default. Those
// of even numbers have most elements of several channels.
bool takes_even(std::size_t number) { return test::TakesAllVariants || number % 2 == 0; }
bool takes_odd(std::size_t number) { return test::TakesAllVariants || number % 2 == 1; }

double tolerance(Precision precision) {
  return precision == Precision::Double ? DoubleTolerance : FloatTolerance;
}

class CompiledProgram : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { open_backend(); }

  void open_backend() {
    Expected<std::unique_ptr<Backend>> made = make_backend(GetParam());
    if (!made) GTEST_SKIP() << made.error().message();
    backend_ = *std::move(made);
  }

  ConformanceErrors errors_of(const Energy& energy, const Binding& binding, const Plan& plan,
                              const ProgramOptions& options, Precision precision,
                              std::uint64_t seed) const {
    const auto executable =
        test::compiled(*backend_, energy, plan, options, {.precision = precision});
    return OperatorTruth(energy, binding).errors_of(*executable, seed);
  }

  // The plan of the energy of this number, or none where it is not taken.
  using PlanOf = std::function<std::optional<Plan>(const Energy&, std::size_t)>;

  // Compares the sample energies under their plans. Returns the largest error of JtJp.
  double expect_conformance(std::uint64_t seed, const PlanOf& plan_of,
                            const ProgramOptions& options = test::damped_blocks) const {
    const std::vector<test::SampleEnergy> samples = test::sample_energies();
    double worst = 0;
    for (std::size_t number = 0; number < samples.size(); ++number) {
      const auto& [name, energy, binding] = samples[number];
      const std::optional<Plan> plan = plan_of(energy, number);
      if (!plan) continue;
      for (const Precision precision : test::in_turn(precisions, number / 2)) {
        const auto errors = errors_of(energy, binding, *plan, options, precision, seed);
        EXPECT_TRUE(errors.within(tolerance(precision), *plan))
            << name << " in " << to_string(precision) << ": " << errors.text();
        worst = std::max(worst, errors.jtjp);
      }
    }
    return worst;
  }

  std::unique_ptr<Backend> backend_;
};

// Loops whose points depend on each other compute something else in vectors, which -O1 makes of the
// loops that the text marks.
TEST_P(CompiledProgram, ComputesTheOperatorOfEachSampleEnergy) {
  const test::ScopedEnv optimized("THALLO_CC_OPTIMIZATION", "1");
  open_backend();
  expect_conformance(1, [](const Energy& energy, std::size_t) { return default_plan(energy); });
}

TEST_P(CompiledProgram, FormsTheMatrixOfDirectSolvers) {
  std::vector<std::pair<const LinearSolver*, Precision>> all;
  for (const Precision precision : precisions)
    for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()})
      all.emplace_back(solver, precision);
  std::size_t number = 0;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    for (const auto& [solver, precision] : test::in_turn(all, number++)) {
      const auto errors =
          errors_of(sample.energy, sample.binding, default_plan(sample.energy),
                    {SolverKind::LevenbergMarquardt, no_preconditioner(), solver}, precision, 2);
      EXPECT_LT(errors.worst(), tolerance(precision))
          << solver->name() << ", " << sample.name << " in " << to_string(precision) << ": "
          << errors.text();
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
  expect_conformance(3, [&](const Energy& energy, std::size_t number) {
    Plan plan = default_plan(energy);
    const Stored& stored = kinds[number % std::size(kinds)];
    for (Part& part : plan.parts) {
      part.strategy = stored.strategy;
      part.j_format = stored.j;
      part.jtj_format = stored.jtj;
    }
    return plan;
  });
}

// cuSPARSE takes no matrix of more entries than rows times columns.
TEST_P(CompiledProgram, ComputesTheOperatorOfAJOfMoreEntriesThanPlaces) {
  const Energy energy = test::wide_energy();
  Plan plan = default_plan(energy);
  plan.parts.front().j_format = StorageFormat::Csr;
  for (const Strategy strategy : {Strategy::StoredJ, Strategy::StoredJtJOfStoredJ}) {
    plan.parts.front().strategy = strategy;
    for (const Precision precision : precisions) {
      const auto errors =
          errors_of(energy, test::bind_wide(energy), plan, test::damped_blocks, precision, 7);
      EXPECT_LT(errors.worst(), tolerance(precision)) << errors.text();
    }
  }
}

TEST_P(CompiledProgram, ComputesTheOperatorWithParallelSums) {
  expect_conformance(8, [](const Energy& energy, std::size_t) -> std::optional<Plan> {
    Plan plan = default_plan(energy);
    if (plan.sums.empty()) return {};
    for (PlannedSum& sum : plan.sums) sum.is_parallel = true;
    return plan;
  });
}

// J, JtJ and Jp in half precision, one strategy a taken energy in turn.
TEST_P(CompiledProgram, ComputesTheOperatorOfProductsKeptInHalf) {
  constexpr Strategy strategies[] = {Strategy::StoredJ, Strategy::StoredJp, Strategy::StoredJtJ,
                                     Strategy::StoredJtJOfStoredJ};
  const auto plan_of = [&](const Energy& energy, std::size_t number) -> std::optional<Plan> {
    if (!takes_odd(number)) return {};
    return test::stored_in(ScalarType::Half, 4e-3, energy,
                           strategies[number / 2 % std::size(strategies)]);
  };
  const double worst = expect_conformance(4, plan_of);
  EXPECT_GT(worst, 2e-5);  // memory did round
}

// One strategy an energy in turn; also where elements have as many channels as a chunk.
TEST_P(CompiledProgram, ComputesTheOperatorWithBlockedVectors) {
  constexpr Strategy strategies[] = {Strategy::JtJp, Strategy::StoredJp, Strategy::StoredJ};
  expect_conformance(5, [&](const Energy& energy, std::size_t number) -> std::optional<Plan> {
    if (!takes_even(number)) return {};
    Plan plan = default_plan(energy);
    plan.vector_order = VectorOrder::Blocked;
    for (Part& part : plan.parts) part.strategy = strategies[number % std::size(strategies)];
    return plan;
  });
}

// Plain for two of the taken energies, blocked for two, in turn.
TEST_P(CompiledProgram, ComputesTheOperatorWithVectorsKeptInSingle) {
  const double worst =
      expect_conformance(6,
                         [](const Energy& energy, std::size_t number) -> std::optional<Plan> {
                           if (!takes_odd(number)) return {};
                           Plan plan = default_plan(energy);
                           plan.vector_type = ScalarType::Float;
                           plan.product_tolerance = 1e-5;
                           if (number / 4 % 2 == 1) plan.vector_order = VectorOrder::Blocked;
                           return plan;
                         },
                         {SolverKind::LevenbergMarquardt, jacobi_preconditioner(), pcg_solver()});
  EXPECT_GT(worst, 1e-9);  // memory did round
}

// x^(k/6) by roots and 2^x, also where x is at the end of its range; and (x + v)^e derived by v.
TEST_P(CompiledProgram, RaisesToConstantPowers) {
  const std::vector<double> exponents = {1.5,     2.5,      -1.5,     6.5, 1.0 / 3, -2.0 / 3,
                                         7.0 / 3, -1.0 / 6, 17.0 / 6, 1.7, 0.3333,  -12.5};
  const std::vector<float> bases = {0, 0.3F, 1, 2, 8, 1e-4F, -8, HUGE_VALF, std::nanf("")};
  const std::size_t num_powers = exponents.size() + 1;
  EnergyBuilder e("powers");
  const DimId N = e.dim("N");
  const auto u = e.unknown("u", {N}, static_cast<int>(num_powers)), v = e.unknown("v", {N});
  const auto x = e.array("x", {N});
  const auto i = e.domain(N);
  std::vector<Expr> powers;
  for (const double exponent : exponents) powers.push_back(pow(x(i), exponent));
  powers.push_back(pow(2.0, x(i)));
  for (std::size_t k = 0; k < num_powers; ++k)
    e.residual(fmt::format("r{}", k), u(i)[static_cast<int>(k)] + powers[k]);
  e.residual("moved", pow(x(i) + v(i), 2.5));
  const Energy energy = test::build(std::move(e));
  Binding binding =
      test::bind(energy, {.extents = {{"N", static_cast<std::int64_t>(bases.size())}},
                          .fields = {{"u", std::vector<double>(bases.size() * num_powers, 0.0)},
                                     {"v", std::vector<double>(bases.size(), 0.0)},
                                     {"x", bases}}});
  for (const Precision precision : precisions) {
    auto executable = backend_->compile(generate(make_program(energy, default_plan(energy), {})),
                                        {.precision = precision});
    ASSERT_TRUE(executable && (*executable)->bind(binding));
    for (const Phase phase : {Phase::Setup, Phase::Cost, Phase::Linearize})
      (*executable)->run(phase);
    // B = -JtF, all of u before all of v.
    const std::vector<double> b =
        (*executable)->read_buffer((*executable)->program().vector(SolverVector::B));
    ASSERT_EQ(b.size(), bases.size() * (num_powers + 1));
    const auto expect = [&](double found, double right, double exponent, double base) {
      if (std::isnan(right) ? std::isnan(found) : found == right) return;
      EXPECT_LE(std::abs(found - right), tolerance(precision) * std::abs(right))
          << base << "^" << exponent << " in " << to_string(precision);
    };
    for (std::size_t n = 0; n < bases.size(); ++n) {
      for (std::size_t k = 0; k < exponents.size(); ++k) {
        const double right = std::pow(bases[n], exponents[k]);
        const bool is_beyond = precision == Precision::Float && !(std::abs(right) < 1e38);
        if (is_beyond && std::isfinite(right)) continue;
        expect(b[n * num_powers + k], -right, exponents[k], bases[n]);
      }
      expect(b[n * num_powers + exponents.size()], -std::pow(2.0, bases[n]), bases[n], 2);
      expect(b[bases.size() * num_powers + n],
             -2.5 * std::pow(bases[n], 1.5) * std::pow(bases[n], 2.5), 4, bases[n]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, CompiledProgram, testing::Values("cpu", "cuda"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace thallo
