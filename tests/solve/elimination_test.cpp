// Linear solves that eliminate unknowns, against the Schur complement as Eigen makes it of J.
//
// The interpreter takes all cases. Where a compiler runs for each kernel, products take one of the
// unknowns and solvers, in turn, and some of them float; with THALLO_SLOW_TESTS all take all.
#include <gmock/gmock.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/energy/builder.h"
#include "core/energy/found/intermediates.h"
#include "core/energy/random/random_energy.h"
#include "core/kernel/elimination.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/problem/suit_program.h"
#include "core/schedule/plan.h"
#include "core/solve/solver.h"
#include "core/solve/start_state.h"
#include "tests/solve/damped_system.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"
#include "tests/support/energies.h"
#include "tests/support/in_turn.h"
#include "tests/support/random_plan.h"

namespace thallo {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Toy;

VectorXd eigen_of(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

// Where products are accumulated, and whether Jp is stored.
enum class Products {
  Scattered,
  Gathered,
  ScatteredOfStoredJp,
  GatheredOfStoredJp,
  Mixed,
  GatheredAtPoints,
  GatheredAtCameras,
};
constexpr Products AllProducts[] = {
    Products::Scattered,          Products::Gathered, Products::ScatteredOfStoredJp,
    Products::GatheredOfStoredJp, Products::Mixed,    Products::GatheredAtPoints,
    Products::GatheredAtCameras};

void PrintTo(Products products, std::ostream* out) {
  constexpr const char* Names[] = {"scattered",           "gathered", "scattered, stored Jp",
                                   "gathered, stored Jp", "mixed",    "gathered at points",
                                   "gathered at cameras"};
  *out << Names[static_cast<std::size_t>(products)];
}

Plan plan_of(const Energy& energy, Products products) {
  Plan plan = default_plan(energy);
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    Part& part = plan.parts[i];
    const bool stores_jp =
        products == Products::ScatteredOfStoredJp || products == Products::GatheredOfStoredJp;
    const bool gathers = products == Products::Gathered ||
                         products == Products::GatheredOfStoredJp ||
                         (products == Products::Mixed && i % 2 == 0);
    if (stores_jp) part.strategy = Strategy::StoredJp;
    part.jtjp = part.jt = gathers ? ComputeAt::Output : ComputeAt::Residual;
    const std::size_t cameras = 0, points = 1;
    if (products == Products::GatheredAtPoints) part.jtjp = ComputeAt::output_of({points});
    if (products == Products::GatheredAtCameras) part.jtjp = ComputeAt::output_of({cameras});
    part.jtf = part.jtjp;
  }
  return plan;
}

// Runs the start of a linear solve and its first product, and compares them with the Schur
// complement.
void expect_schur_complement(Executable& executable, const Energy& energy, const Binding& binding,
                             const SolverOptions& o) {
  executable.write_state(start_state(o));
  for (const Phase phase : {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize,
                            Phase::SaveScale, Phase::Damp, Phase::Direction, Phase::Apply})
    executable.run(phase);
  const auto read = [&](SolverVector vector) {
    return eigen_of(executable.read_buffer(executable.program().vector(vector)));
  };

  const auto [matrix, kept, gone] = test::damped_system(executable, energy, binding, o.solver);
  if (kept.empty() || gone.empty()) return;
  const VectorXd entries = eigen_of(matrix);
  const auto size = read(SolverVector::B).size();
  const MatrixXd a = entries.reshaped(size, size);
  const VectorXd b = read(SolverVector::B), x = read(SolverVector::X), r = read(SolverVector::R),
                 p = read(SolverVector::P), ap = read(SolverVector::Ap);
  // Elements that no residual reads have empty rows.
  const MatrixXd inverse = a(gone, gone).completeOrthogonalDecomposition().pseudoInverse();
  const MatrixXd schur = a(kept, kept) - a(kept, gone) * inverse * a(gone, kept);
  const double scale = b.norm();
  EXPECT_NEAR((x(gone) - inverse * b(gone)).norm(), 0, 1e-9 * (scale + x.norm()));
  EXPECT_NEAR(x(kept).norm(), 0, 1e-12 * scale);
  EXPECT_NEAR((r(kept) - (b(kept) - a(kept, gone) * x(gone))).norm(), 0, 1e-9 * scale);
  EXPECT_EQ(r(gone).norm(), 0);
  EXPECT_NEAR((p(gone) + inverse * a(gone, kept) * p(kept)).norm(), 0, 1e-9 * p.norm());
  EXPECT_NEAR((ap(kept) - schur * p(kept)).norm(), 0, 1e-9 * (a(kept, kept) * p(kept)).norm());
  const double p_ap = p(kept).dot(schur * p(kept));
  EXPECT_NEAR(at(executable.read_state(), StateSlot::PAp), p_ap,
              1e-9 * p(kept).dot(a(kept, kept) * p(kept)));
}

struct Case {
  std::string backend;
  Products products;
  std::string eliminate;
  SolverKind solver;
  bool takes_float;

  friend void PrintTo(const Case& c, std::ostream* out) {
    PrintTo(c.products, out);
    *out << " on " << c.backend << " by " << to_string(c.solver) << " without " << c.eliminate;
  }
};

std::vector<Case> cases() {
  constexpr auto Gn = SolverKind::GaussNewton, Lm = SolverKind::LevenbergMarquardt;
  const std::vector<std::pair<const char*, SolverKind>> all = {
      {"point", Gn}, {"camera", Lm}, {"camera", Gn}, {"point", Lm}};
  std::vector<Case> result;
  for (const std::string backend : {"interpreter", "cpu", "cuda"}) {
    for (std::size_t number = 0; number < std::size(AllProducts); ++number) {
      const bool takes_float = test::TakesAllVariants || number % 3 == 0;
      for (const auto& [eliminate, solver] :
           backend == "interpreter" ? all : test::in_turn(all, number))
        result.push_back({backend, AllProducts[number], eliminate, solver, takes_float});
    }
  }
  return result;
}

class Eliminating : public test::BackendTest<Case> {
 protected:
  static Products products() { return GetParam().products; }
  static SolverOptions options() {
    SolverOptions o;
    o.solver = GetParam().solver;
    o.preconditioner = "block_jacobi";
    o.linear_solver = schur_pcg_solver()->name();
    o.num_linear_iterations = 200;
    o.residual_tolerance = 1e-13;
    o.q_tolerance = 0;
    o.num_iterations = 4;
    o.residual_reset_period = 3;
    // Damping by the diagonal itself keeps the condition such that rounding does not show.
    o.trust_region_radius = 1;
    return o;
  }

  std::unique_ptr<Executable> bind(const Toy& toy, const SolverOptions& o, const Plan& plan,
                                   Precision precision = Precision::Double) {
    ProgramOptions program{.solver = o.solver,
                           .preconditioner = block_jacobi_preconditioner(),
                           .linear_solver = own_linear_solvers().find(o.linear_solver)};
    const auto chosen = suit_program(toy.energy, toy.binding, o, program);
    EXPECT_TRUE(chosen) << chosen.error().message();
    auto executable =
        test::compiled(*backend_, toy.energy, plan, program, {.precision = precision});
    EXPECT_TRUE(executable->bind(toy.binding));
    return executable;
  }
};

TEST_P(Eliminating, MultipliesByTheSchurComplement) {
  for (const Toy& toy : {test::make_two_spaces(4, 30, 90), test::make_partly_excluded()}) {
    SolverOptions o = options();
    o.eliminate = GetParam().eliminate;
    const auto executable = bind(toy, o, plan_of(toy.energy, products()));
    expect_schur_complement(*executable, toy.energy, toy.binding, o);
    EXPECT_GT(at(executable->read_state(), StateSlot::PAp), 0);
  }
}

// Of energies with Sums, intermediates, losses, masks, poses, reads through maps and outside.
TEST(EliminatingAtRandom, MultipliesByTheSchurComplementUnderEveryPlan) {
  SolverOptions o;
  o.solver = SolverKind::LevenbergMarquardt;
  o.trust_region_radius = 1;
  int num_compared = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    for (const FieldId space : Elimination(random.energy).spaces()) {
      const ProgramOptions program{.solver = o.solver,
                                   .preconditioner = block_jacobi_preconditioner(),
                                   .linear_solver = schur_pcg_solver(),
                                   .eliminated = space};
      const Plan plan = test::random_plan(random.energy, seed);
      if (!check_program(random.energy, plan, program)) continue;
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ", eliminated " << random.energy.field(space).name);
      const auto executable = test::interpreted(random.energy, plan, program);
      ASSERT_TRUE(executable->bind(random.binding));
      expect_schur_complement(*executable, random.energy, random.binding, o);
      ++num_compared;
    }
  }
  EXPECT_TRUE(testing::Test::HasFailure() || num_compared > 30) << num_compared;
}

// Retract and residual resets multiply x by what the products of parallel Sums were made of.
TEST(EliminatingAtRandom, TakesTheSameStepsWithParallelSums) {
  SolverOptions o;
  o.solver = SolverKind::LevenbergMarquardt;
  o.trust_region_radius = 1;
  o.num_iterations = 2;
  o.num_linear_iterations = 4;
  o.residual_reset_period = 3;
  o.q_tolerance = 0;
  o.function_tolerance = 0;
  int num_compared = 0;
  for (std::uint64_t seed = 1; seed <= 600 && !testing::Test::HasFailure(); ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    const Energy energy = with_found_intermediates(random.energy, FoundSites::All);
    for (const FieldId space : Elimination(energy).spaces()) {
      const ProgramOptions program{.solver = o.solver,
                                   .preconditioner = block_jacobi_preconditioner(),
                                   .linear_solver = schur_pcg_solver(),
                                   .eliminated = space};
      Plan plan = test::random_plan(energy, seed);
      std::vector<double> costs;
      bool stores_products = false;
      for (const bool is_parallel : {false, true}) {
        for (PlannedSum& sum : plan.sums) sum.is_parallel = is_parallel;
        if (!check_program(energy, plan, program)) break;
        const auto executable = test::interpreted(energy, plan, program);
        for (const BufferDecl& buffer : executable->program().buffers)
          stores_products = stores_products || buffer.name.starts_with("Jp.sum.");
        ASSERT_TRUE(executable->bind(random.binding));
        const auto summary = solve(*executable, o);
        ASSERT_TRUE(summary) << summary.error().message();
        costs.push_back(summary->final_cost);
      }
      if (costs.size() < 2 || !stores_products) continue;
      ++num_compared;
      EXPECT_NEAR(costs[1], costs[0], 1e-9 * std::max(1.0, std::abs(costs[0])))
          << "seed " << seed << ", eliminated " << energy.field(space).name;
    }
  }
  EXPECT_TRUE(testing::Test::HasFailure() || num_compared > 20) << num_compared;
}

// Finds faults of what changes between linear solves, and of resets and of float, which a product
// does not show.
TEST_P(Eliminating, TakesTheStepsOfADirectSolver) {
  for (const Toy& toy : {test::make_two_spaces(4, 30, 90), test::make_partly_excluded()}) {
    SolverOptions o = options();
    o.eliminate = GetParam().eliminate;
    // Without damping only the first toy, which has priors, has one solution.
    if (o.solver == SolverKind::GaussNewton && toy.energy.name() == "partly_excluded") continue;
    SolverOptions direct = o;
    direct.linear_solver = sparse_cholesky_solver()->name();
    for (const auto& [precision, tolerance] :
         {std::pair(Precision::Double, 1e-9), std::pair(Precision::Float, 1e-4)}) {
      const bool takes_float = GetParam().takes_float && backend_->has_float();
      if (precision == Precision::Float && !takes_float) continue;
      o.residual_tolerance = precision == Precision::Double ? 1e-13 : 1e-6;
      const auto ours = bind(toy, o, plan_of(toy.energy, products()), precision);
      const auto theirs = bind(toy, direct, default_plan(toy.energy));
      const auto found = solve(*ours, o), expected = solve(*theirs, direct);
      ASSERT_TRUE(found && expected);
      ASSERT_EQ(found->iterations.size(), expected->iterations.size());
      for (std::size_t i = 0; i < found->iterations.size(); ++i) {
        EXPECT_NEAR(found->iterations[i].cost, expected->iterations[i].cost,
                    tolerance * expected->initial_cost)
            << i;
      }
      // 12 unknowns are kept of points, so that many iterations solve the system but for rounding.
      EXPECT_LE(found->iterations[1].linear_iterations, o.eliminate == "point" ? 25 : 70);
      Binding a = toy.binding, b = toy.binding;
      ours->download_unknowns(a);
      theirs->download_unknowns(b);
      const VectorXd x = eigen_of(test::unknowns_of(toy.energy, a)),
                     y = eigen_of(test::unknowns_of(toy.energy, b));
      EXPECT_NEAR((x - y).norm(), 0, 1e2 * tolerance * y.norm());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Eliminating, testing::ValuesIn(cases()));

// What cannot be eliminated, and why.
class WhatIsEliminated : public testing::Test {
 protected:
  static std::string fault(const Energy& energy, std::string_view unknown) {
    const auto done = Elimination(energy).check(energy.find_field(unknown));
    return done ? "" : done.error().message();
  }
};

TEST_F(WhatIsEliminated, IsReadOnceByEachResidual) {
  EnergyBuilder e("graph");
  const DimId V = e.dim("V"), E = e.dim("E"), G = e.dim("G"), K = e.dim("K");
  const auto X = e.unknown("X", {V}, 2), scale = e.unknown("Y", {E}), Z = e.unknown("Z", {G}, 17),
             T = e.unknown("T", {K});
  const auto head = e.map("head", {E}, {V}), tail = e.map("tail", {E}, {V});
  const IndexExpr i = e.domain(E, "i"), g = e.domain(G, "g"), k = e.domain(K, "k");
  const auto from = X(head(i)), to = X(tail(i));
  e.residual("edge", from[0] - to[1] * scale(i));
  e.residual("all", Z(g)[3] - e.sum({k}, T(k)));
  const Energy energy = test::build(std::move(e));
  EXPECT_EQ(fault(energy, "Y"), "");
  EXPECT_EQ(fault(energy, "X"),
            "'X' cannot be eliminated: a residual of 'edge' reads both X(head(i)) and X(tail(i))");
  EXPECT_EQ(fault(energy, "Z"),
            "'Z' cannot be eliminated: an element has 17 channels, more than 16");
  EXPECT_EQ(fault(energy, "T"),
            "'T' cannot be eliminated: a residual of 'all' reads T(k) in a Sum");
  EXPECT_THAT(Elimination(energy).spaces(), testing::ElementsAre(energy.find_field("Y")));
}

TEST_F(WhatIsEliminated, LeavesUnknowns) {
  const Energy energy = test::columns_energy();
  EXPECT_EQ(fault(energy, "X"),
            "'X' cannot be eliminated: all unknowns are over its dims, and none would be left");
  Binding binding(energy);
  ProgramOptions program{.preconditioner = block_jacobi_preconditioner(),
                         .linear_solver = schur_pcg_solver()};
  const auto none = suit_program(energy, binding, {}, program);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(),
            "linear_solver schur_pcg finds no unknowns to eliminate: 'X' cannot be eliminated: all "
            "unknowns are over its dims, and none would be left; use linear_solver pcg");
}

TEST_F(WhatIsEliminated, IsTheLargestSpaceOrTheOneThatIsNamed) {
  const Toy toy = test::make_two_spaces(4, 30, 90);
  ProgramOptions program{.preconditioner = block_jacobi_preconditioner(),
                         .linear_solver = schur_pcg_solver()};
  const auto choose = [&](const std::string& name) {
    SolverOptions o;
    o.eliminate = name;
    const auto done = suit_program(toy.energy, toy.binding, o, program);
    return done ? toy.energy.field(program.eliminated).name : done.error().message();
  };
  EXPECT_EQ(choose("auto"), "point");
  EXPECT_EQ(choose("camera"), "camera");
  const char* unknown_name =
      "solver option eliminate: 'two_spaces' has no unknown 'pont'; did you mean 'point'? "
      "(legal: camera, point)";
  EXPECT_EQ(choose("pont"), unknown_name);
  program.preconditioner = jacobi_preconditioner();
  EXPECT_EQ(choose("auto"),
            "linear_solver schur_pcg has no preconditioner jacobi; use block_jacobi or leave it "
            "unset");
  program.linear_solver = pcg_solver();
  ASSERT_TRUE(suit_program(toy.energy, toy.binding, {}, program));
  EXPECT_FALSE(program.eliminated.valid());
  EXPECT_EQ(choose("pont"), unknown_name) << "though pcg eliminates none";
}

TEST_F(WhatIsEliminated, NeedsProductsThatAreNoMatrices) {
  const Toy toy = test::make_two_spaces(4, 30, 90);
  Plan plan = default_plan(toy.energy);
  plan.parts.front().strategy = Strategy::StoredJtJ;
  const auto refused = check_program(toy.energy, plan,
                                     {.preconditioner = block_jacobi_preconditioner(),
                                      .linear_solver = schur_pcg_solver(),
                                      .eliminated = toy.energy.find_field("point")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "linear_solver schur_pcg multiplies by a part of JtJ at a time, and the schedule stores "
      "JtJ of 'project' as a whole; use linear_solver pcg or another schedule");
}

}  // namespace
}  // namespace thallo
