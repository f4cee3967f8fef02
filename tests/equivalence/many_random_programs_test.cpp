// Thousands of random energies under random plans, stored found intermediates and products kept in
// less included, on the interpreter; of some the program compiled for the cpu and for cuda. Of
// fewer the matrix of direct solvers, blocked vectors and passes that are left out.

#include <fmt/format.h>

#include <iostream>

#include "core/energy/found/intermediates.h"
#include "tests/equivalence/random_programs.h"
#include "tests/support/narrow_plan.h"

namespace thallo {
namespace {

constexpr std::uint64_t NumBlocks = 10;
constexpr std::uint64_t BlockSize = 200;

class ManyRandomPrograms : public test::RandomPrograms,
                           public testing::WithParamInterface<std::uint64_t> {
 protected:
  std::uint64_t first_seed() const { return 100'000 + GetParam() * BlockSize; }

  void expect_conformance_of(Backend& backend, const RandomEnergy& random) {
    const Energy sited = with_found_intermediates(random.energy, FoundSites::All);
    const Plan plan = test::random_plan(sited, random.seed);
    const bool in_less = random.seed % 5 == 0;
    expect_conformance(backend, random, sited,
                       in_less ? test::stored_in(ScalarType::Half, 4e-3, sited, plan) : plan,
                       test::damped_blocks);
  }
};

TEST_P(ManyRandomPrograms, ComputeTheOperatorOnTheInterpreter) {
  const auto backend = interpreter();
  for (std::uint64_t i = 0; i < BlockSize && !HasFailure(); ++i) {
    expect_conformance_of(*backend, make_random_energy(first_seed() + i));
    expect_conformance_of(*backend, make_random_stencil_energy(first_seed() + i));
  }
  std::cout << fmt::format("{} programs, worst error {:.1e}\n", 2 * BlockSize, worst_);
}

TEST_P(ManyRandomPrograms, ComputeTheOperatorCompiledForTheCpu) {
  Expected<std::unique_ptr<Backend>> backend = make_cpu_backend();
  if (!backend) GTEST_SKIP() << backend.error().message();
  for (std::uint64_t i = 0; i < BlockSize && !HasFailure(); i += 20) {
    expect_conformance_of(**backend, make_random_energy(first_seed() + i));
    expect_conformance_of(**backend, make_random_stencil_energy(first_seed() + i + 1));
  }
}

TEST_P(ManyRandomPrograms, ComputeTheOperatorWithBlockedVectorsCompiledForTheCpu) {
  Expected<std::unique_ptr<Backend>> backend = make_cpu_backend();
  if (!backend) GTEST_SKIP() << backend.error().message();
  for (std::uint64_t i = 0; i < BlockSize && !HasFailure(); i += 50)
    expect_conformance_with_blocked_vectors(**backend,
                                            make_random_stencil_energy(first_seed() + i));
}

TEST_P(ManyRandomPrograms, ComputeTheOperatorWithAnyPassesCompiledForTheCpu) {
  Expected<std::unique_ptr<Backend>> backend = make_cpu_backend();
  if (!backend) GTEST_SKIP() << backend.error().message();
  for (std::uint64_t i = 0; i < BlockSize && !HasFailure(); i += 50)
    expect_conformance_with_passes(**backend, first_seed() + i);
}

TEST_P(ManyRandomPrograms, FormTheMatrixOfDirectSolvers) {
  const auto backend = interpreter();
  for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()}) {
    for (std::uint64_t i = 0; i < BlockSize && !HasFailure(); i += 10)
      expect_matrix(*backend, first_seed() + i, solver);
  }
}

TEST_P(ManyRandomPrograms, ComputeTheOperatorCompiledForCuda) {
  Expected<std::unique_ptr<Backend>> backend = make_cuda_backend();
  if (!backend) GTEST_SKIP() << backend.error().message();
  for (std::uint64_t i = 0; i < BlockSize && !HasFailure(); i += 10) {
    expect_conformance_of(**backend, make_random_energy(first_seed() + i));
    expect_conformance_of(**backend, make_random_stencil_energy(first_seed() + i + 1));
  }
  std::cout << fmt::format("{} programs, worst error {:.1e}\n", BlockSize / 5, worst_);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyRandomPrograms, testing::Range(std::uint64_t{0}, NumBlocks));

}  // namespace
}  // namespace thallo
