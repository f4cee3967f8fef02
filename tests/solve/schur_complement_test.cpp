// schur_cholesky and schur_sparse_cholesky: the Schur complement that they form and factor, against
// the one that Eigen makes of J, and their steps against those of a direct solver of the whole
// system.
//
// The interpreter takes all cases; where a compiler runs for each kernel, half of them are taken,
// each in one precision, and with THALLO_SLOW_TESTS all in both.
#include <gmock/gmock.h>
#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/energy/builder.h"
#include "core/energy/random/random_energy.h"
#include "core/kernel/elimination.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/problem/driver.h"
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
using ::testing::HasSubstr;

VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

constexpr std::array Solvers = {"schur_cholesky", "schur_sparse_cholesky"};

SolverOptions options_of(SolverKind solver, std::string linear_solver = Solvers[0]) {
  SolverOptions o;
  o.solver = solver;
  o.linear_solver = std::move(linear_solver);
  o.num_iterations = 4;
  // Damping by the diagonal itself keeps the condition such that rounding does not show.
  o.trust_region_radius = 1;
  return o;
}

// The rows of all unknowns that are those of the kept ones, in their order.
std::vector<Eigen::Index> rows_of_kept(const KernelProgram& program, const ProgramSizes& sizes) {
  std::vector<Eigen::Index> rows;
  Eigen::Index row = 0;
  for (const FieldId view : program.buffers[program.vector(SolverVector::B)].fields) {
    const bool is_gone = std::ranges::any_of(program.spaces, [&](const UnknownSpace& space) {
      return space.is_eliminated && space.dims == program.field(view).dims;
    });
    for (std::int64_t i = 0; i < sizes.num_scalars(view); ++i, ++row)
      if (!is_gone) rows.push_back(row);
  }
  return rows;
}

// The matrix that the solver is given, of n rows.
MatrixXd matrix_of(Executable& executable, Eigen::Index n) {
  const KernelProgram& program = executable.program();
  const VectorXd values =
      vector_of(executable.read_buffer(program.find_buffer("schur_complement")));
  if (program.matrices.empty()) {
    EXPECT_EQ(values.size(), n * n);
    return values.reshaped(n, n);
  }
  const auto& maps = executable.sizes().tables().maps;
  const auto& offsets = maps.at(program.matrices.back().offsets);
  const auto& columns = maps.at(program.matrices.back().columns);
  EXPECT_EQ(std::ssize(offsets), n + 1);
  MatrixXd matrix = MatrixXd::Zero(n, n);
  for (Eigen::Index row = 0; row < n; ++row) {
    for (auto k = offsets[static_cast<std::size_t>(row)];
         k < offsets[static_cast<std::size_t>(row) + 1]; ++k)
      matrix(row, columns[static_cast<std::size_t>(k)]) = values(k);
  }
  return matrix;
}

// Runs a linear solve, and compares what it forms and finds with the whole system.
void expect_schur_complement(Executable& executable, const Energy& energy, const Binding& binding,
                             const SolverOptions& o, double tolerance) {
  executable.write_state(start_state(o));
  for (const Phase phase : {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize,
                            Phase::SaveScale, Phase::Damp, Phase::DirectSolve, Phase::Retract})
    executable.run(phase);
  const KernelProgram& program = executable.program();
  const auto read = [&](SolverVector vector) {
    return vector_of(executable.read_buffer(program.vector(vector)));
  };
  const auto [matrix, kept, gone] = test::damped_system(executable, energy, binding, o.solver);
  if (kept.empty() || gone.empty()) return;
  const VectorXd entries = vector_of(matrix);
  const auto size = read(SolverVector::B).size();
  const MatrixXd a = entries.reshaped(size, size);
  const std::vector<Eigen::Index> rows = rows_of_kept(program, executable.sizes());
  const auto n = std::ssize(rows);
  const MatrixXd formed = matrix_of(executable, n);
  ASSERT_EQ(formed.rows(), n);
  std::vector<Eigen::Index> free;  // rows of `formed`
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::ranges::binary_search(kept, rows[static_cast<std::size_t>(i)])) free.push_back(i);

  const MatrixXd inverse = a(gone, gone).completeOrthogonalDecomposition().pseudoInverse();
  const MatrixXd schur = a(kept, kept) - a(kept, gone) * inverse * a(gone, kept);
  EXPECT_NEAR((formed(free, free) - schur).norm(), 0, tolerance * a(kept, kept).norm());
  EXPECT_NEAR((formed - formed.transpose()).norm(), 0, 1e-15 * formed.norm());
  const VectorXd b = read(SolverVector::B), x = read(SolverVector::X);
  const VectorXd reduced = b(kept) - a(kept, gone) * inverse * b(gone);
  EXPECT_NEAR((read(SolverVector::KeptB)(free) - reduced).norm(), 0, tolerance * b.norm());
  const Eigen::LLT<MatrixXd> factor(schur);
  if (factor.info() != Eigen::Success || factor.rcond() < 1e-8) return;
  const VectorXd x_kept = factor.solve(reduced);
  const VectorXd x_gone = inverse * (b(gone) - a(gone, kept) * x_kept);
  EXPECT_EQ(at(executable.read_state(), StateSlot::DirectFailed), 0);
  EXPECT_NEAR((x(kept) - x_kept).norm(), 0, 1e3 * tolerance * (x.norm() + 1e-12));
  EXPECT_NEAR((x(gone) - x_gone).norm(), 0, 1e3 * tolerance * (x.norm() + 1e-12));
  EXPECT_EQ(read(SolverVector::R).norm(), 0);
}

using SchurCase = std::tuple<std::string, ComputeAt, std::string, SolverKind>;

class FormingTheSchurComplement : public testing::TestWithParam<SchurCase> {
 protected:
  void SetUp() override {
    auto backend = make_backend(std::get<0>(GetParam()));
    if (!backend) GTEST_SKIP() << backend.error().message();
    backend_ = *std::move(backend);
  }
  static SolverOptions options(const char* linear_solver = Solvers[0]) {
    SolverOptions o = options_of(std::get<3>(GetParam()), linear_solver);
    o.eliminate = std::get<2>(GetParam());
    return o;
  }

  // What is computed is in double, of data in float.
  bool takes(Precision precision) const {
    if (!backend_->has_float()) return precision == Precision::Double;
    const bool is_float = precision == Precision::Float;
    return test::TakesAllVariants || is_float == (std::get<2>(GetParam()) == "camera");
  }

  std::unique_ptr<Executable> bind(const Toy& toy, const SolverOptions& o,
                                   Precision precision = Precision::Double) {
    ProgramOptions program = program_options({}, o);
    const auto chosen = suit_program(toy.energy, toy.binding, o, program);
    EXPECT_TRUE(chosen) << chosen.error().message();
    program.iterates_first = o.loose_iterations.value_or(0) > 0;
    Plan plan = default_plan(toy.energy);
    for (Part& part : plan.parts) part.jtf = std::get<1>(GetParam());
    auto executable =
        test::compiled(*backend_, toy.energy, plan, program, {.precision = precision});
    EXPECT_TRUE(executable->bind(toy.binding));
    return executable;
  }

  std::unique_ptr<Backend> backend_;
};

TEST_P(FormingTheSchurComplement, IsThatOfJ) {
  for (const Toy& toy : {test::make_two_spaces(4, 30, 90), test::make_partly_excluded()}) {
    for (const char* solver : Solvers) {
      const SolverOptions o = options(solver);
      for (const auto& [precision, tolerance] :
           {std::pair(Precision::Double, 1e-12), std::pair(Precision::Float, 1e-5)}) {
        if (!takes(precision)) continue;
        expect_schur_complement(*bind(toy, o, precision), toy.energy, toy.binding, o, tolerance);
      }
    }
  }
}

TEST_P(FormingTheSchurComplement, TakesTheStepsOfADirectSolver) {
  for (const Toy& toy : {test::make_two_spaces(4, 30, 90), test::make_partly_excluded()}) {
    const SolverOptions o = options(Solvers[toy.energy.name() == "partly_excluded" ? 1 : 0]);
    // Without damping only the first toy, which has priors, has one solution.
    if (o.solver == SolverKind::GaussNewton && toy.energy.name() == "partly_excluded") continue;
    SolverOptions direct = o;
    direct.linear_solver = sparse_cholesky_solver()->name();
    for (const auto& [precision, tolerance] :
         {std::pair(Precision::Double, 1e-10), std::pair(Precision::Float, 1e-5)}) {
      if (!takes(precision)) continue;
      const auto ours = bind(toy, o, precision);
      const auto theirs = bind(toy, direct);
      const auto found = solve(*ours, o), expected = solve(*theirs, direct);
      ASSERT_TRUE(found && expected);
      ASSERT_EQ(found->iterations.size(), expected->iterations.size());
      for (std::size_t i = 0; i < found->iterations.size(); ++i) {
        EXPECT_NEAR(found->iterations[i].cost, expected->iterations[i].cost,
                    tolerance * expected->initial_cost)
            << i;
      }
      Binding a = toy.binding, b = toy.binding;
      ours->download_unknowns(a);
      theirs->download_unknowns(b);
      const VectorXd x = vector_of(test::unknowns_of(toy.energy, a)),
                     y = vector_of(test::unknowns_of(toy.energy, b));
      EXPECT_NEAR((x - y).norm(), 0, 1e2 * tolerance * y.norm());
    }
  }
}

// Loose steps that pcg solves to the end are those of a direct solver, too; and once one takes all
// its iterations, the same program factors.
TEST_P(FormingTheSchurComplement, BeginsWithLooseSteps) {
  SolverOptions o = options();
  if (o.solver == SolverKind::GaussNewton) GTEST_SKIP() << "it has no loose steps";
  o.loose_iterations = o.num_linear_iterations = 300;
  o.q_tolerance = 0;
  o.residual_tolerance = 1e-13;
  o.residual_reset_period = 3;
  const Toy toy = test::make_two_spaces(4, 30, 90);
  for (const auto& [precision, tolerance] :
       {std::pair(Precision::Double, 1e-10), std::pair(Precision::Float, 1e-4)}) {
    if (!takes(precision)) continue;
    if (precision == Precision::Float) o.residual_tolerance = 1e-6;
    SolverOptions direct = o;
    direct.linear_solver = sparse_cholesky_solver()->name();
    direct.loose_iterations.reset();
    const auto ours = bind(toy, o, precision);
    const auto theirs = bind(toy, direct);
    SolverOptions few = o, none = o;
    few.loose_iterations = 3;
    none.loose_iterations = 0;
    const auto loose = solve(*ours, o), exact = solve(*theirs, direct);
    EXPECT_EQ(loose->num_loose, 4);
    const auto mixed = solve(*ours, few), alike = solve(*ours, none), end = solve(*theirs, direct);
    EXPECT_EQ(mixed->num_loose, 1);
    EXPECT_EQ(mixed->iterations[1].linear_iterations, 3);
    EXPECT_EQ(alike->num_loose, 0);
    for (std::size_t i = 0; i < exact->iterations.size(); ++i) {
      EXPECT_NEAR(loose->iterations[i].cost, exact->iterations[i].cost,
                  tolerance * exact->initial_cost)
          << i;
    }
    EXPECT_NEAR(mixed->final_cost, end->final_cost, 1e-3 * exact->initial_cost);
    EXPECT_LT(alike->final_cost, mixed->final_cost * (1 + tolerance));
  }
}

// Every two of place, unknown and solver meet.
std::vector<SchurCase> schur_cases() {
  constexpr auto Gn = SolverKind::GaussNewton, Lm = SolverKind::LevenbergMarquardt;
  const std::vector<std::pair<const char*, SolverKind>> scattered = {{"point", Gn}, {"camera", Lm}},
                                                        gathered = {{"camera", Gn}, {"point", Lm}};
  std::vector<SchurCase> result;
  for (const std::string backend : {"interpreter", "cpu", "cuda"}) {
    const bool takes_all = test::TakesAllVariants || backend == "interpreter";
    for (const ComputeAt where : {ComputeAt::Residual, ComputeAt::Output}) {
      for (const auto* some : {&scattered, &gathered}) {
        if (!takes_all && (some == &gathered) != (where == ComputeAt::Output)) continue;
        for (const auto& [eliminate, solver] : *some)
          result.emplace_back(backend, where, eliminate, solver);
      }
    }
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Backends, FormingTheSchurComplement, testing::ValuesIn(schur_cases()));

// Of a camera only the sum of its channels shows. All numbers are such that nothing is rounded, so
// the Schur complement is singular to the last bit. No unknown moves then, not even an eliminated
// one, whose own block is regular.
TEST(SchurComplement, AllowsNoStepWhereItIsSingular) {
  EnergyBuilder e("sums");
  const DimId C = e.dim("C"), P = e.dim("P");
  const auto camera = e.unknown("camera", {C}, 2), point = e.unknown("point", {P});
  const auto to_camera = e.map("to_camera", {P}, {C});
  const IndexExpr i = e.domain(P);
  const auto cam = camera(to_camera(i));
  e.residual("see", point(i) + cam[0] + cam[1] - 1.0);
  e.residual("hold", Vec{point(i) - 1.0, point(i) - 2.0, point(i) + 1.0});
  const Energy energy = test::build(std::move(e));
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("C", 1) && binding.set_extent("P", 4) &&
              binding.set_map("to_camera", {0, 0, 0, 0}) &&
              binding.set_field("camera", std::vector<double>(2)) &&
              binding.set_field("point", std::vector<double>(4)));
  const SolverOptions o = options_of(SolverKind::GaussNewton);
  ProgramOptions program = program_options({}, o);
  ASSERT_TRUE(suit_program(energy, binding, o, program));
  for (const char* name : {"interpreter", "cpu", "cuda"}) {
    const auto backend = make_backend(name);
    if (!backend) continue;
    const auto executable =
        (*backend)
            ->compile(generate(make_program(energy, default_plan(energy), program)), {})
            .value();
    ASSERT_TRUE(executable->bind(binding));
    const auto summary = solve(*executable, o);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->termination, Termination::LinearSolveFailed) << name;
    EXPECT_EQ(at(executable->read_state(), StateSlot::DirectFailed), 1) << name;
    Binding after = binding;
    executable->download_unknowns(after);
    EXPECT_EQ(test::unknowns_of(energy, after), test::unknowns_of(energy, binding)) << name;
  }
}

// Of energies with Sums, intermediates, losses, masks, poses, reads through maps and outside.
TEST(SchurComplementAtRandom, IsThatOfJUnderEveryPlan) {
  const SolverOptions o = options_of(SolverKind::LevenbergMarquardt);
  int num_compared = 0;
  for (std::uint64_t seed = 1;
       seed <= (test::TakesAllVariants ? 300 : 120) && !testing::Test::HasFailure(); ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    const Elimination elimination(random.energy);
    for (const FieldId space : elimination.spaces()) {
      const bool is_sparse = seed % 3 == 0;
      const ProgramOptions program{.solver = o.solver,
                                   .preconditioner = block_jacobi_preconditioner(),
                                   .linear_solver = own_linear_solvers().find(Solvers[is_sparse]),
                                   .eliminated = space,
                                   .iterates_first = seed % 2 == 0};
      const Plan plan = test::random_plan(random.energy, seed);
      if (!elimination.check_kept(space) || !check_program(random.energy, plan, program)) continue;
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ", eliminated " << random.energy.field(space).name);
      const auto executable = test::interpreted(random.energy, plan, program);
      ASSERT_TRUE(executable->bind(random.binding));
      expect_schur_complement(*executable, random.energy, random.binding, o, 1e-9);
      ++num_compared;
    }
  }
  EXPECT_TRUE(testing::Test::HasFailure() || num_compared > 30) << num_compared;
}

// What schur_cholesky refuses, beside what schur_pcg does.
class WhatIsKept : public testing::Test {
 protected:
  static std::string fault(const Toy& toy, const std::string& eliminate) {
    SolverOptions o = options_of(SolverKind::LevenbergMarquardt);
    o.eliminate = eliminate;
    ProgramOptions program = program_options({}, o);
    const auto done = suit_program(toy.energy, toy.binding, o, program);
    return done ? "" : done.error().message();
  }
};

TEST_F(WhatIsKept, HasFewScalars) {
  EXPECT_EQ(fault(test::make_two_spaces(4, 10000, 90), "camera"), "");
  const Toy toy = test::make_two_spaces(4, 10001, 90);
  EXPECT_EQ(
      fault(toy, "camera"),
      "linear_solver schur_cholesky is for at most 20000 unknowns that are kept, and 20002 of "
      "the 20014 of 'two_spaces' are when those over the dims of 'camera' are eliminated; use "
      "linear_solver schur_pcg or sparse_cholesky");
  EXPECT_EQ(fault(toy, "point"), "");
}

TEST_F(WhatIsKept, HasElementsOfFewChannelsWhateverTheSchedule) {
  EnergyBuilder e("wide");
  const DimId V = e.dim("V"), G = e.dim("G"), N = e.dim("N");
  const auto X = e.unknown("X", {V}), Z = e.unknown("Z", {G}, 17);
  const auto to_x = e.map("to_x", {N}, {V}), to_z = e.map("to_z", {N}, {G});
  const IndexExpr k = e.domain(N);
  e.residual("all", X(to_x(k)) - Z(to_z(k))[16]);
  Energy energy = test::build(std::move(e));
  Toy toy{energy, Binding(energy)};
  EXPECT_THAT(fault(toy, "X"),
              HasSubstr("linear_solver schur_cholesky: 'Z' cannot be kept: an element has 17 "
                        "channels, more than 16; use linear_solver schur_pcg"));
  EXPECT_THAT(fault(toy, "Z"), HasSubstr("'Z' cannot be eliminated: an element has 17 channels"));
  toy = test::make_two_spaces(4, 30, 90);
  Plan plan = default_plan(toy.energy);
  plan.parts.front().strategy = Strategy::StoredJtJ;
  EXPECT_TRUE(check_program(toy.energy, plan,
                            {.preconditioner = block_jacobi_preconditioner(),
                             .linear_solver = schur_cholesky_solver(),
                             .eliminated = toy.energy.find_field("point")}));
}

}  // namespace
}  // namespace thallo
