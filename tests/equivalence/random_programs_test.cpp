// Programs of random energies against the definition of the energy: cost, JtF, d, element blocks,
// JtJp and the dense JtJ, on the interpreter and (fewer, a compiler runs for each) on the cpu.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

#include "core/base/error.h"
#include "core/energy/found/intermediates.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/lower.h"
#include "core/kernel/program_print.h"
#include "core/schedule/storage_format.h"
#include "tests/equivalence/random_programs.h"
#include "tests/support/energy_features.h"
#include "tests/support/narrow_plan.h"
#include "tests/support/scoped_env.h"

namespace thallo {
namespace {

using test::damped_blocks;
using test::RandomPrograms;
using test::solved_by;
using test::with_blocked_vectors;
using test::with_some_passes;

TEST_F(RandomPrograms, ComputeTheOperatorOnTheInterpreter) {
  const auto backend = interpreter();
  test::FeatureCoverage coverage;
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    coverage.add(random);
    expect_conformance(*backend, random, default_plan(random.energy), damped_blocks);
  }
  EXPECT_TRUE(HasFailure() || coverage.missing().empty());
  std::cout << coverage.table();
}

TEST_F(RandomPrograms, FormTheMatrixOfDirectSolvers) {
  const auto backend = interpreter();
  for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()}) {
    for (std::uint64_t seed = 301; seed <= 310 && !HasFailure(); ++seed)
      expect_matrix(*backend, seed, solver);
  }
}

// What of a plan was drawn how often.
class PlanCoverage {
 public:
  void add(const Plan& plan) {
    for (const Part& part : plan.parts) {
      ++counts_[std::string(to_string(part.strategy))];
      if (stores_j(part.strategy)) ++counts_[fmt::format("{} J", to_string(part.j_format))];
      if (stores_jtj(part.strategy)) ++counts_[fmt::format("{} JtJ", to_string(part.jtj_format))];
      if (part.residuals.front().group != part.residuals.back().group) ++counts_["merged groups"];
      count("JtF", part.jtf);
      if (part.strategy == Strategy::JtJp) count("JtJp", part.jtjp);
      if (stores_jp(part.strategy)) count("Jt", part.jt);
    }
    for (const Materialization& m : plan.intermediates) {
      if (m.value) ++counts_["stored value"];
      if (m.gradient) ++counts_["stored gradient"];
    }
    for (const PlannedSum& sum : plan.sums)
      ++counts_[sum.is_parallel ? "parallel Sum" : "serial Sum"];
  }
  int rarest() const {
    int least = std::numeric_limits<int>::max();
    for (const auto& [what, count] : counts_) least = std::min(least, count);
    return counts_.size() < 20 ? 0 : least;
  }
  std::string table() const {
    std::string text = "random plans contain\n";
    for (const auto& [what, count] : counts_) text += fmt::format("  {:<40} {:>5}\n", what, count);
    return text;
  }

 private:
  void count(std::string_view product, ComputeAt where) {
    if (!where.gathers()) return;
    ++counts_[fmt::format("{} at {}", product, where.scatters() ? "some outputs" : "output")];
  }

  std::map<std::string, int> counts_;
};

// Which buffers a plan asks for, by what their names begin with.
bool asks_for(const Plan& plan, std::string_view buffer) {
  const auto any_part = [&](auto stores) {
    return std::ranges::any_of(plan.parts, [&](const Part& part) { return stores(part.strategy); });
  };
  const bool sums = std::ranges::any_of(plan.sums, &PlannedSum::is_parallel);
  if (buffer == "J") return any_part(stores_j);
  if (buffer == "JtJ") return any_part(stores_jtj);
  if (buffer == "Jp") return any_part(stores_jp) || sums;
  if (buffer == "gradient")
    return std::ranges::any_of(plan.intermediates, &Materialization::gradient);
  return true;
}

TEST_F(RandomPrograms, StoreWhatThePlanAsksFor) {
  std::map<std::string, int> stored;
  for (std::uint64_t seed = 501; seed <= 530; ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      const Plan plan = test::random_plan(random.energy, seed);
      for (const BufferDecl& buffer : make_program(random.energy, plan, damped_blocks).buffers) {
        const std::string kind = buffer.name.substr(0, buffer.name.find('.'));
        EXPECT_TRUE(asks_for(plan, kind)) << seed << ": " << buffer.name;
        ++stored[buffer.name.starts_with("Jp.sum.") ? "Jp of a Sum" : kind];
      }
    }
  }
  for (const char* kind : {"J", "Jp", "JtJ", "gradient", "Jp of a Sum"})
    EXPECT_GT(stored[kind], 3) << kind;
}

TEST_F(RandomPrograms, ComputeTheOperatorOfEveryPlanOnTheInterpreter) {
  const auto backend = interpreter();
  PlanCoverage coverage;
  for (std::uint64_t seed = 501; seed <= 600 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      const Plan plan = test::random_plan(random.energy, seed);
      coverage.add(plan);
      expect_conformance(*backend, random, plan, damped_blocks);
    }
  }
  EXPECT_TRUE(HasFailure() || coverage.rarest() > 10);
  std::cout << coverage.table() << fmt::format("worst error {:.1e}\n", worst_);
}

// Each residual has kernels of its own, where that does not repeat most of the work.
TEST_F(RandomPrograms, ComputeTheOperatorInPieces) {
  const auto backend = interpreter();
  std::map<std::string, int> num_split;  // by strategy and format
  for (std::uint64_t seed = 1101; seed <= 1200 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      const Plan plan = test::random_plan(random.energy, seed);
      ProgramOptions options = damped_blocks;
      if (seed % 5 == 0) options = solved_by(dense_solver());
      if (seed % 5 == 1) options = solved_by(sparse_cholesky_solver());
      const std::size_t whole = make_program(random.energy, plan, options).kernels.size();
      options.max_kernel_nodes = 1;
      if (make_program(random.energy, plan, options).kernels.size() == whole) continue;
      for (const Part& part : plan.parts) {
        if (seed % 5 < 2) ++num_split[options.linear_solver->name().data()];
        if (seed % 5 < 2 || part.residuals.size() < 2) continue;
        ++num_split[fmt::format("{}, J {}, JtJ {}", to_string(part.strategy),
                                to_string(part.j_format), to_string(part.jtj_format))];
      }
      expect_conformance(*backend, random, plan, options);
    }
  }
  EXPECT_TRUE(HasFailure() || num_split.size() > 10);
  for (const auto& [what, count] : num_split) std::cout << fmt::format("{:>5}  {}\n", count, what);
}

TEST_F(RandomPrograms, FoundIntermediatesChangeNothing) {
  const auto backend = interpreter();
  int num_values = 0;
  int num_gradients = 0;
  for (std::uint64_t seed = 701; seed <= 810 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      const Energy sited = with_found_intermediates(random.energy, FoundSites::All);
      if (sited.found()->all().empty()) continue;
      const Plan plan = test::random_plan(sited, seed);
      for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
        if (!sited.intermediates()[i].is_found) continue;
        num_values += plan.intermediates[i].value ? 1 : 0;
        num_gradients += plan.intermediates[i].gradient ? 1 : 0;
      }
      expect_conformance(*backend, random, sited, plan, damped_blocks);
    }
  }
  std::cout << fmt::format("{} values, {} gradients of found intermediates, worst error {:.1e}\n",
                           num_values, num_gradients, worst_);
  EXPECT_TRUE(HasFailure() || (num_values > 40 && num_gradients > 40));
}

TEST_F(RandomPrograms, AreTheSameWhenNothingFoundIsStored) {
  for (std::uint64_t seed = 801; seed <= 830; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    const Energy sited = with_found_intermediates(random.energy, FoundSites::All);
    EXPECT_EQ(to_string(make_program(sited, default_plan(sited), damped_blocks)),
              to_string(make_program(random.energy, default_plan(random.energy), damped_blocks)));
  }
}

TEST_F(RandomPrograms, ComputeTheOperatorWithProductsKeptInLess) {
  const auto backend = interpreter();
  for (std::uint64_t seed = 601; seed <= 620 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      const Plan plan = test::random_plan(random.energy, seed);
      expect_conformance(*backend, random,
                         test::stored_in(ScalarType::Half, 4e-3, random.energy, plan),
                         damped_blocks);
      expect_conformance(*backend, random,
                         test::stored_in(ScalarType::Float, 1e-6, random.energy, plan),
                         damped_blocks);
    }
  }
  EXPECT_GT(worst_, 2e-5);  // memory did round
}

TEST_F(RandomPrograms, ComputeTheOperatorWithBlockedVectors) {
  const auto backend = interpreter();
  int num_blocked = 0;
  for (std::uint64_t seed = 901; seed <= 960 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      const auto plan = with_blocked_vectors(random.energy, test::random_plan(random.energy, seed));
      if (!plan) continue;
      ++num_blocked;
      expect_conformance(*backend, random, *plan, damped_blocks);
    }
  }
  EXPECT_TRUE(HasFailure() || num_blocked > 15) << num_blocked;
}

TEST_F(RandomPrograms, ComputeTheOperatorWithVectorsKeptInSingle) {
  const auto backend = interpreter();
  for (std::uint64_t seed = 1001; seed <= 1025 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      Plan plan = test::random_plan(random.energy, seed);
      if (std::ranges::any_of(plan.parts, multiplies_by_library)) continue;
      plan.vector_type = ScalarType::Float;
      plan.product_tolerance = 1e-5;
      expect_conformance(*backend, random, plan, damped_blocks);
    }
  }
  EXPECT_GT(worst_, 1e-9);  // memory did round
}

TEST_F(RandomPrograms, ComputeTheOperatorWithAnyPasses) {
  const auto backend = interpreter();
  for (std::uint64_t seed = 1101; seed <= 1130 && !HasFailure(); ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    SCOPED_TRACE(to_string(test::random_passes(seed)));
    expect_conformance(*backend, random, default_plan(random.energy), with_some_passes(seed));
    expect_conformance(*backend, random, test::random_plan(random.energy, seed),
                       with_some_passes(0));
  }
}

// ManyRandomPrograms compiles many more.
TEST_F(RandomPrograms, ComputeTheOperatorWithAnyPassesCompiledForTheCpu) {
  Expected<std::unique_ptr<Backend>> backend = make_cpu_backend();
  if (!backend) GTEST_SKIP() << backend.error().message();
  expect_conformance_with_passes(**backend, 1141);
}

// Finds what C makes of programs otherwise than the interpreter, where features meet that no sample
// energy has together.
TEST_F(RandomPrograms, ComputeTheOperatorCompiledForTheCpu) {
  const test::ScopedEnv optimized("THALLO_CC_OPTIMIZATION",
                                  "1");  // so that stencils are vectorized
  Expected<std::unique_ptr<Backend>> backend = make_cpu_backend();
  if (!backend) GTEST_SKIP() << backend.error().message();
  const RandomEnergy random = make_random_energy(401);
  expect_conformance(**backend, random, default_plan(random.energy), damped_blocks);
  expect_conformance_with_blocked_vectors(**backend, make_random_stencil_energy(412));
}

}  // namespace
}  // namespace thallo
