// The multigrid preconditioner: a cycle against the same one in Eigen's dense matrices, whole
// solves, and energies that cannot have it.
//
// The interpreter takes each grid with each solver. Where a compiler runs for each kernel, a grid
// takes one solver and precision, in turn, and with THALLO_SLOW_TESTS all.
#include <gmock/gmock.h>
#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/cost/model/work.h"
#include "core/energy/builder.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/kernel/multigrid.h"
#include "core/problem/suit_program.h"
#include "core/schedule/plan.h"
#include "core/solve/solver.h"
#include "core/solve/start_state.h"
#include "tests/solve/toy_energies.h"
#include "tests/support/backend_test.h"
#include "tests/support/energies.h"
#include "tests/support/grid_energies.h"
#include "tests/support/in_turn.h"

namespace thallo {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Toy;
using ::testing::HasSubstr;
using Extents = std::array<std::int64_t, 3>;

VectorXd column_of(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}

void expect(const Expected<void>& done) {
  if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
}

// In [0, 1), the same for all who ask.
double scatter(std::size_t i) { return std::fmod(0.61803398875 * static_cast<double>(i + 1), 1.0); }
std::vector<double> scattered(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = scatter(i) - 0.5;
  return values;
}

Toy make_image(std::int64_t w, std::int64_t h, int reach = 1) {
  Energy energy = test::image_energy(reach);
  Binding binding(energy);
  expect(binding.set_extent("W", w));
  expect(binding.set_extent("H", h));
  const auto n = static_cast<std::size_t>(w * h);
  expect(binding.set_field("angle", scattered(n)));
  expect(binding.set_field("color", scattered(2 * n)));
  expect(binding.set_field("wanted", scattered(2 * n)));
  std::vector<double> excluded(n);
  for (std::size_t i = 0; i < n; i += 7) excluded[i] = 1;
  expect(binding.set_field("held", excluded));
  return {std::move(energy), std::move(binding)};
}

Toy make_lattice(const std::vector<std::int64_t>& extents, double weight_of_fit = 0.01) {
  Energy energy = test::lattice_energy(extents.size(), weight_of_fit);
  Binding binding(energy);
  std::size_t n = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    expect(binding.set_extent(test::LatticeDims[d], extents[d]));
    n *= static_cast<std::size_t>(extents[d]);
  }
  expect(binding.set_field("u", scattered(n)));
  expect(binding.set_field("wanted", scattered(n)));
  return {std::move(energy), std::move(binding)};
}

// A V(1,1) cycle; vectors are channel by channel.
class DenseCycle {
 public:
  explicit DenseCycle(Eigen::Index channels) : channels_(channels) {}

  VectorXd run(const MatrixXd& a, const Extents& extents, const VectorXd& r) const {
    const Eigen::Index elements = r.size() / channels_;
    const bool is_last = elements == 1;
    VectorXd weights = VectorXd::Zero(r.size());
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      double sum = 0;
      for (Eigen::Index j = 0; j < r.size(); ++j)
        if (a(i, i) > 0 && a(j, j) > 0) sum += std::abs(a(i, j)) * std::sqrt(a(i, i) / a(j, j));
      if (a(i, i) > 0) weights[i] = (is_last ? 1 : 1.6) / sum;
    }
    const auto rest = [&](const VectorXd& x) -> VectorXd {
      return (weights.array() > 0).select(r - a * x, 0);
    };
    VectorXd x = weights.cwiseProduct(r);
    if (is_last) return x;
    Extents coarse = extents;
    for (std::int64_t& n : coarse) n = (n + 1) / 2;
    const MatrixXd p =
        (weights.array() > 0).cast<double>().matrix().asDiagonal() * prolongation(extents, coarse);
    x += p * run(p.transpose() * a * p, coarse, p.transpose() * rest(x));
    return x + weights.cwiseProduct(rest(x));
  }

 private:
  static double share(std::int64_t fine, std::int64_t coarse, std::int64_t num_coarse) {
    if (fine % 2 == 0 || fine / 2 + 1 >= num_coarse) return fine / 2 == coarse ? 1 : 0;
    return fine / 2 == coarse || fine / 2 + 1 == coarse ? 0.5 : 0;
  }
  MatrixXd prolongation(const Extents& fine, const Extents& coarse) const {
    const auto size = [](const Extents& e) { return e[0] * e[1] * e[2]; };
    MatrixXd p = MatrixXd::Zero(channels_ * size(fine), channels_ * size(coarse));
    for (Eigen::Index i = 0; i < size(fine); ++i) {
      for (Eigen::Index j = 0; j < size(coarse); ++j) {
        double weight = 1;
        std::int64_t at = i, from = j;
        for (std::size_t d = 0; d < 3; ++d) {
          weight *= share(at % fine[d], from % coarse[d], coarse[d]);
          at /= fine[d];
          from /= coarse[d];
        }
        for (Eigen::Index c = 0; c < channels_; ++c)
          p(c * size(fine) + i, c * size(coarse) + j) = weight;
      }
    }
    return p;
  }

  Eigen::Index channels_;
};

constexpr auto Gn = SolverKind::GaussNewton;
constexpr auto Lm = SolverKind::LevenbergMarquardt;

class MultigridSolve : public test::BackendTest<> {
 protected:
  static bool compiles() { return GetParam() != "interpreter"; }
  static std::vector<SolverKind> solvers(std::size_t number) {
    const std::vector<SolverKind> all = {Gn, Lm};
    return compiles() ? test::in_turn(all, number) : all;
  }

  static SolverOptions options(SolverKind solver, const char* preconditioner = "multigrid") {
    SolverOptions o;
    o.solver = solver;
    o.preconditioner = preconditioner;
    o.linear_solver = pcg_solver()->name();
    o.num_iterations = 3;
    o.num_linear_iterations = 400;
    o.residual_tolerance = 1e-10;
    o.q_tolerance = 0;
    return o;
  }

  std::unique_ptr<Executable> bind(const Toy& toy, const SolverOptions& o, const Plan& plan,
                                   Precision precision = Precision::Double, int num_threads = 0) {
    ProgramOptions program{.solver = o.solver,
                           .preconditioner = own_preconditioners().find(o.preconditioner)};
    const auto legal = suit_program(toy.energy, toy.binding, o, program);
    EXPECT_TRUE(legal) << legal.error().message();
    auto executable = test::compiled(*backend_, toy.energy, plan, program,
                                     {.precision = precision, .num_threads = num_threads});
    EXPECT_TRUE(executable->bind(toy.binding));
    return executable;
  }

  static void run_before_damping(Executable& executable, const SolverOptions& o) {
    executable.write_state(start_state(o));
    for (const Phase phase :
         {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize, Phase::SaveScale})
      executable.run(phase);
  }

  // Compares z = M^-1 b at the start of a linear solve with the cycle of dense matrices.
  void expect_cycle(const Toy& toy, const Plan& plan, const SolverOptions& o, Precision precision,
                    double tolerance) {
    const auto executable = bind(toy, o, plan, precision);
    run_before_damping(*executable, o);
    executable->run(Phase::Damp);
    const auto read = [&](SolverVector vector) {
      return column_of(executable->read_buffer(executable->program().vector(vector)));
    };
    EnergyEvaluator evaluator(toy.energy, toy.binding);
    const Linearization linearization = evaluator.linearize();
    const std::vector<std::uint8_t> excluded = evaluator.excluded();
    const auto n = std::ssize(excluded);
    MatrixXd a = MatrixXd::Zero(n, n);
    const SparseMatrix jtj = *linearization.jtj(10'000'000);
    for (std::size_t row = 0; row < excluded.size(); ++row) {
      for (std::size_t k = jtj.offsets[row]; k < jtj.offsets[row + 1]; ++k)
        if (excluded[row] == 0 && excluded[static_cast<std::size_t>(jtj.columns[k])] == 0)
          a(static_cast<Eigen::Index>(row), jtj.columns[k]) = jtj.values[k];
    }
    if (o.solver == SolverKind::LevenbergMarquardt) {
      const VectorXd damping = read(SolverVector::Damping);
      for (Eigen::Index i = 0; i < n; ++i)
        if (a(i, i) > 0) a(i, i) += damping[i];
    }
    // From the unknown vector to channel by channel.
    const Energy& energy = toy.energy;
    const Field& first = energy.field(energy.unknowns().front());
    Extents extents = {1, 1, 1};
    for (std::size_t d = 0; d < first.dims.size(); ++d)
      extents[d] = toy.binding.extent(first.dims[d]);
    const Eigen::Index elements = extents[0] * extents[1] * extents[2];
    std::vector<Eigen::Index> order;
    Eigen::Index begin = 0;
    for (const FieldId unknown : energy.unknowns()) {
      const int channels = energy.field(unknown).channels;
      for (int c = 0; c < channels; ++c)
        for (Eigen::Index i = 0; i < elements; ++i) order.push_back(begin + i * channels + c);
      begin += channels * elements;
    }
    const VectorXd b = read(SolverVector::B), z = read(SolverVector::Z);
    const VectorXd expected = DenseCycle(n / elements).run(a(order, order), extents, b(order));
    ASSERT_GT(expected.norm(), 0);
    EXPECT_LT((z(order) - expected).norm() / expected.norm(), tolerance);
    const double rz = at(executable->read_state(), StateSlot::Rz);
    EXPECT_NEAR(rz, b.dot(z), 1e-5 * std::abs(rz));
  }

  SolverSummary solve_toy(const Toy& toy, const SolverOptions& o,
                          Precision precision = Precision::Double) {
    const auto executable = bind(toy, o, default_plan(toy.energy), precision);
    auto summary = solve(*executable, o);
    EXPECT_TRUE(summary) << summary.error().message();
    return *std::move(summary);
  }
};

// Finds faults of a cycle that cost iterations only: whole solves end at the same cost anyway.
TEST_P(MultigridSolve, CyclesAsDenseMatricesDoAlsoInBlocks) {
  struct Variant {
    SolverKind solver;
    Precision precision;
    double tolerance;
  };
  const std::vector<Variant> all = {{Gn, Precision::Double, 1e-10},
                                    {Lm, Precision::Float, 1e-4},
                                    {Lm, Precision::Double, 1e-10},
                                    {Gn, Precision::Float, 1e-4}};
  std::size_t number = 0;  // two in a row take the same variant, and two pairs have one energy
  for (const Toy& toy : {make_image(13, 10), make_image(16, 1), make_image(9, 5, 2),
                         make_lattice({37}), make_lattice({5, 1, 4}), make_lattice({6, 5, 4})}) {
    SCOPED_TRACE(toy.energy.name());
    for (const auto& [solver, precision, tolerance] :
         compiles() ? test::in_turn(all, number++ / 2) : all)
      expect_cycle(toy, default_plan(toy.energy), options(solver), precision, tolerance);
  }
  const Toy toy = make_image(13, 10);
  Plan plan = default_plan(toy.energy);
  plan.vector_order = VectorOrder::Blocked;
  for (const SolverKind solver : solvers(0))
    expect_cycle(toy, plan, options(solver), Precision::Double, 1e-10);
}

// Levels are cut into parts, and what a part computes depends on no other. All else is gathered.
TEST_P(MultigridSolve, CyclesAlikeOnAnyNumberOfThreads) {
  if (GetParam() != "cpu") GTEST_SKIP() << "it has one number of threads";
  const Toy toy = make_image(301, 200);
  Plan plan = default_plan(toy.energy);
  for (Part& part : plan.parts) part.jtf = ComputeAt::Output;
  const SolverOptions o = options(Lm);
  std::vector<double> by_one;
  for (const int num_threads : {1, 2, 3}) {
    const auto executable = bind(toy, o, plan, Precision::Float, num_threads);
    run_before_damping(*executable, o);
    executable->run(Phase::Damp);
    const auto z = executable->read_buffer(executable->program().vector(SolverVector::Z));
    if (by_one.empty()) by_one = z;
    EXPECT_EQ(z, by_one) << num_threads;
  }
}

// Finds faults of PCG by cycles, in solves of several steps over one to three dims.
TEST_P(MultigridSolve, EndsAtTheSameCost) {
  std::size_t number = 0;
  for (const Toy& toy :
       {make_image(21, 18), make_lattice({20, 31}), make_lattice({9, 8, 7}), make_lattice({100})}) {
    SCOPED_TRACE(toy.energy.name());
    for (const SolverKind solver : solvers(number++)) {
      const auto with = solve_toy(toy, options(solver));
      const auto without = solve_toy(toy, options(solver, "jacobi"));
      EXPECT_NEAR(with.final_cost, without.final_cost, 1e-9 * without.final_cost);
      EXPECT_LT(with.num_linear_iterations, without.num_linear_iterations);
    }
  }
}

// Levels of which a part was built do not serve the next solve.
TEST_P(MultigridSolve, StopsWhileTheLevelsAreBuilt) {
  if (GetParam() == "cuda") GTEST_SKIP() << "the device builds them in one go";
  const Toy toy = make_image(13, 10);
  const SolverOptions o = options(Lm);
  const auto executable = bind(toy, o, default_plan(toy.energy));
  run_before_damping(*executable, o);
  {
    const StopScope scope({}, StopScope::Clock::now() - std::chrono::seconds(1));
    EXPECT_THROW(executable->run(Phase::Damp), Stopped);
  }
  const auto summary = solve(*executable, o);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->final_cost, solve_toy(toy, o).final_cost);
}

TEST_P(MultigridSolve, NeedsNoMoreIterationsOnLargerGridsAndNoneWhereAllIsExcluded) {
  SolverOptions o = options(Gn);
  o.num_iterations = 1;
  o.residual_tolerance = 1e-6;
  for (const std::int64_t n : {32, 65, 128}) {
    const auto summary = solve_toy(make_lattice({n, n}, 1e-3), o, Precision::Float);
    EXPECT_LE(summary.num_linear_iterations, 14) << n;
  }
  Toy toy = make_image(12, 12);
  expect(toy.binding.set_field("held", std::vector<double>(144, 1)));
  const auto summary = solve_toy(toy, options(Gn));
  EXPECT_LE(summary.final_cost, summary.initial_cost);
  EXPECT_TRUE(std::isfinite(summary.final_cost));
}

TEST_P(MultigridSolve, HoldsAChannelThatNoResidualReads) {
  EnergyBuilder e("half_read");
  const DimId w = e.dim("W");
  const auto u = e.unknown("u", {w}, 2);
  const IndexExpr x = e.domain(w);
  e.residual("first", u(x)[0] - 3);
  Energy energy = test::build(std::move(e));
  Binding binding(energy);
  expect(binding.set_extent("W", 5));
  expect(binding.set_field("u", std::vector<double>(10, 1)));
  const Toy toy{std::move(energy), std::move(binding)};
  for (const SolverKind solver : {Gn, Lm}) {
    const auto summary = solve_toy(toy, options(solver));
    EXPECT_EQ(summary.initial_cost, 10);
    EXPECT_LT(summary.final_cost, 1e-6);
  }
}

TEST_P(MultigridSolve, WorksOnExtentsThatChange) {
  const Toy small = make_lattice({12, 9}), large = make_lattice({70, 50});
  const SolverOptions o = options(Gn);
  const auto executable = bind(small, o, default_plan(small.energy));
  for (const Toy* toy : {&small, &large, &small}) {
    ASSERT_TRUE(executable->bind(toy->binding));
    const auto summary = solve(*executable, o);
    ASSERT_TRUE(summary) << summary.error().message();
    EXPECT_NEAR(summary->final_cost, solve_toy(*toy, o).final_cost, 1e-9 * summary->final_cost);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MultigridSolve, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& param_info) { return param_info.param; });

TEST(MultigridWork, IsCountedByLevels) {
  const Toy toy = make_lattice({64, 64});
  const auto work = work_of(toy.energy, default_plan(toy.energy),
                            {.preconditioner = multigrid_preconditioner()}, toy.binding);
  ASSERT_TRUE(work) << work.error().message();
  double points = 0;
  for (std::int64_t n = 64; n >= 1; n /= 2) points += static_cast<double>(n * n);
  int num_cycles = 0;
  for (const StepWork& step : work->steps) {
    if (step.label != "multigrid cycle") continue;
    ++num_cycles;
    EXPECT_EQ(static_cast<double>(step.features.points), points);
    // Two products with 5 entries of the finest rows.
    EXPECT_GE(step.features.reads.coalesced, 2 * 5 * 64 * 64 * 4);
  }
  EXPECT_EQ(num_cycles, 2);
}

std::string refusal(const Energy& energy) {
  const auto legal = check_multigrid(energy);
  return legal ? "" : legal.error().message();
}

TEST(MultigridCheck, AcceptsGridsAndRefusesOthers) {
  EXPECT_EQ(refusal(make_image(3, 3).energy), "");
  EXPECT_EQ(refusal(make_lattice({3, 3, 3}).energy), "");
  EXPECT_THAT(refusal(test::make_two_spaces(2, 3, 4).energy),
              AllOf(HasSubstr("multigrid"), HasSubstr("are not over the same dims")));
  EnergyBuilder e("mesh");
  const DimId v = e.dim("V"), edges = e.dim("E");
  const auto u = e.unknown("u", {v});
  const auto head = e.map("head", {edges}, {v}), tail = e.map("tail", {edges}, {v});
  const IndexExpr k = e.domain(edges);
  e.residual("edge", u(head(k)) - u(tail(k)));
  EXPECT_THAT(refusal(test::build(std::move(e))),
              AllOf(HasSubstr("'edge' reads u(head(e))"), HasSubstr("no fixed offset")));
  EXPECT_THAT(refusal(make_image(9, 9, 6).energy),
              AllOf(HasSubstr("color(w + 6, h)"), HasSubstr("at most 4 elements")));
  const Toy toy = make_lattice({4, 4});
  for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()}) {
    const auto valid =
        check_program(toy.energy, default_plan(toy.energy),
                      {.preconditioner = multigrid_preconditioner(), .linear_solver = solver});
    ASSERT_FALSE(valid);
    EXPECT_THAT(valid.error().message(), HasSubstr("use linear_solver pcg"));
  }
}

}  // namespace
}  // namespace thallo
