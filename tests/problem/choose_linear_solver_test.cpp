#include "core/problem/choose_linear_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend/choose_device_spec.h"
#include "core/energy/builder.h"
#include "core/kernel/bind/tables.h"
#include "core/problem/driver.h"
#include "core/problem/instance_case.h"
#include "core/problem/sampled_rows.h"

namespace thallo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Energy built(EnergyBuilder&& builder) {
  auto energy = std::move(builder).build();
  EXPECT_TRUE(energy) << energy.error().message();
  return *std::move(energy);
}

// Points or poses with springs between the two ends of each edge.
struct Springs {
  // `edges` beside those that make a chain of the points, at random, and an edge to the point that
  // is so many further, if there is one.
  Springs(std::int64_t points, std::int64_t edges, Manifold manifold = Manifold::Euclidean,
          std::int64_t further = 0)
      : energy(make(manifold)), binding(energy) {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::int32_t> any(0, static_cast<std::int32_t>(points) - 1);
    std::vector<std::int32_t> from, to;
    for (std::int32_t i = 0; i + 1 < points; ++i) {
      from.push_back(i);
      to.push_back(i + 1);
    }
    for (std::int64_t i = 0; further > 0 && i + further < points; ++i) {
      from.push_back(static_cast<std::int32_t>(i));
      to.push_back(static_cast<std::int32_t>(i + further));
    }
    for (std::int64_t e = 0; e < edges; ++e) {
      from.push_back(any(random));
      to.push_back(any(random));
    }
    EXPECT_TRUE(binding.set_extent("N", points));
    EXPECT_TRUE(binding.set_extent("E", static_cast<std::int64_t>(from.size())));
    EXPECT_TRUE(binding.set_map("From", from));
    EXPECT_TRUE(binding.set_map("To", to));
  }

  static Energy make(Manifold manifold) {
    EnergyBuilder e("springs");
    const DimId n = e.dim("N"), edges = e.dim("E");
    const FieldHandle x =
        manifold == Manifold::Euclidean ? e.unknown("X", {n}, 3) : e.unknown("X", {n}, manifold);
    const MapHandle from = e.map("From", {edges}, {n});
    const MapHandle to = e.map("To", {edges}, {n});
    const IndexExpr k = e.domain(edges);
    e.residual("spring", x(from(k)) - x(to(k)));
    return built(std::move(e));
  }

  Energy energy;
  Binding binding;
};

LinearSolverChoice choose(const Energy& energy, const Binding& binding,
                          const SolverOptions& options,
                          const LinearSolverRegistry& solvers = own_linear_solvers(),
                          std::int64_t memory_limit = DefaultMemoryLimit,
                          const std::string& device = "cpu", double anchoring = 0,
                          double free = 1) {
  const SolverParts parts{.linear_solvers = &solvers};
  const SampledRows rows{.anchoring = anchoring, .free = free};
  return choose_linear_solver(
      {.energy = energy,
       .binding = binding,
       .options = options,
       .rows = rows,
       .parts = parts,
       .program = [&](const SolverOptions& named) { return program_options({}, named, parts); },
       .memory_limit = memory_limit,
       .model = default_cost_model(),
       .device = [&] { return named_device_spec(device, "auto"); }});
}
SolverOptions lm() {
  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  return options;
}

TEST(ChooseLinearSolver, FactorsALongGraphWithFewLoops) {
  const Springs springs(5000, 50);
  const LinearSolverChoice choice = choose(springs.energy, springs.binding, lm());
  EXPECT_EQ(choice.solver, sparse_cholesky_solver());
  EXPECT_THAT(choice.reason, HasSubstr("times as many as the triangle of JtJ"));
}

TEST(ChooseLinearSolver, IteratesWhereTheFactorFillsIn) {
  const Springs springs(5000, 20000);
  const LinearSolverChoice choice = choose(springs.energy, springs.binding, lm());
  EXPECT_EQ(choice.solver, pcg_solver());
  EXPECT_THAT(choice.reason, HasSubstr("s by sparse_cholesky"));
}

TEST(ChooseLinearSolver, FactorsPosesThoughTheirFactorFillsIn) {
  const Springs few_loops(1500, 10, Manifold::SE3);
  EXPECT_EQ(choose(few_loops.energy, few_loops.binding, lm()).solver, sparse_cholesky_solver());
  // As on a sphere: each pose meets the next one, and the one of the next round.
  const Springs poses(6400, 0, Manifold::SE3, 80);
  const LinearSolverChoice filled_in = choose(poses.energy, poses.binding, lm());
  EXPECT_EQ(filled_in.solver, sparse_cholesky_solver()) << "without a plugin that does it sooner";
  EXPECT_THAT(filled_in.reason, HasSubstr("10.2 times as many as the triangle of JtJ"));
}

// A solver of a plugin, which says how long it takes, whatever the factor.
class Provided final : public LinearSolver {
 public:
  explicit Provided(double seconds, MatrixForm form = MatrixForm::Csr)
      : seconds_(seconds), form_(form) {}
  std::string_view name() const override { return "provided"; }
  std::string_view doc() const override { return ""; }
  MatrixForm form() const override { return form_; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern&) const override { return nullptr; }
  double expected_seconds(const FactorSize&) const override { return seconds_; }

 private:
  double seconds_;
  MatrixForm form_;
};

struct WithProvided {
  explicit WithProvided(std::unique_ptr<const LinearSolver> provided) {
    add_linear_solvers(solvers);
    EXPECT_TRUE(solvers.add("provided", std::move(provided), "a test"));
  }
  LinearSolverRegistry solvers{"linear solver"};
};

TEST(ChooseLinearSolver, TakesTheOneThatExpectsToFactorSoonest) {
  const Springs springs(5000, 50);
  const WithProvided quick(std::make_unique<Provided>(1e-6));
  const LinearSolverChoice choice = choose(springs.energy, springs.binding, lm(), quick.solvers);
  EXPECT_EQ(choice.solver, quick.solvers.find("provided"));
  EXPECT_THAT(choice.reason, HasSubstr("s by sparse_cholesky"));
  const WithProvided slow(std::make_unique<Provided>(0.25));
  EXPECT_EQ(choose(springs.energy, springs.binding, lm(), slow.solvers).solver,
            slow.solvers.find("sparse_cholesky"));
}

TEST(ChooseLinearSolver, IteratesWhereEvenTheQuickestTakesLong) {
  const Springs springs(4000, 16000);
  const WithProvided slow(std::make_unique<Provided>(1.5));
  const LinearSolverChoice choice = choose(springs.energy, springs.binding, lm(), slow.solvers);
  EXPECT_EQ(choice.solver, slow.solvers.find("pcg"));
  EXPECT_THAT(choice.reason, HasSubstr("15 s by provided"));
  EXPECT_THAT(
      choose(springs.energy, springs.binding, lm(), slow.solvers, DefaultMemoryLimit, "h200")
          .reason,
      HasSubstr("45 s by provided"))
      << "the host of a GPU is slower";
}

TEST(ChooseLinearSolver, AsksOnlyThoseThatFactorASparseMatrix) {
  const Springs springs(5000, 50);
  const WithProvided full(std::make_unique<Provided>(0, MatrixForm::Dense));
  EXPECT_EQ(choose(springs.energy, springs.binding, lm(), full.solvers).solver,
            full.solvers.find("sparse_cholesky"));
}

TEST(ChooseLinearSolver, KeepsPcgForWhomItsOptionsAreSet) {
  const Springs springs(500, 5);
  SolverOptions options = lm();
  options.num_linear_iterations = 40;
  EXPECT_EQ(choose(springs.energy, springs.binding, options).solver, pcg_solver());
  options.linear_solver = AutoLinearSolver;  // whatever pcg would do
  EXPECT_EQ(choose(springs.energy, springs.binding, options).solver, sparse_cholesky_solver());
}

TEST(ChooseLinearSolver, IteratesInGaussNewton) {
  const Springs springs(500, 5);
  const LinearSolverChoice choice = choose(springs.energy, springs.binding, {});
  EXPECT_EQ(choice.solver, pcg_solver());
  EXPECT_THAT(choice.reason, HasSubstr("singular"));
}

// Cameras of two channels that see points of two.
Energy cameras() {
  EnergyBuilder e("cameras");
  const DimId c = e.dim("C"), p = e.dim("P"), o = e.dim("O");
  const auto camera = e.unknown("camera", {c}, 2), point = e.unknown("point", {p}, 2);
  const auto to_camera = e.map("to_camera", {o}, {c}), to_point = e.map("to_point", {o}, {p});
  const IndexExpr k = e.domain(o);
  e.residual("project", camera(to_camera(k)) - point(to_point(k)));
  return built(std::move(e));
}
// A walk: each camera sees the points of its own, and those of the one before.
Binding seen_on_a_walk(const Energy& energy, std::int64_t cameras, std::int64_t points_a_camera) {
  Binding binding(energy);
  std::vector<std::int32_t> seen_by, seen;
  for (std::int64_t i = 0; i < cameras * points_a_camera; ++i) {
    for (const std::int64_t ahead : {0, 1}) {
      seen_by.push_back(static_cast<std::int32_t>((i / points_a_camera + ahead) % cameras));
      seen.push_back(static_cast<std::int32_t>(i));
    }
  }
  EXPECT_TRUE(binding.set_extent("C", cameras) &&
              binding.set_extent("P", cameras * points_a_camera) &&
              binding.set_extent("O", std::ssize(seen)) && binding.set_map("to_camera", seen_by) &&
              binding.set_map("to_point", seen));
  return binding;
}

TEST(ChooseLinearSolver, FactorsASparseSchurComplementOfALongWalk) {
  const Energy energy = cameras();
  const LinearSolverChoice choice = choose(energy, seen_on_a_walk(energy, 2000, 4), lm());
  ASSERT_NE(choice.solver, nullptr);
  EXPECT_EQ(choice.solver->name(), "schur_sparse_cholesky");
  EXPECT_THAT(choice.reason,
              StartsWith("16000 of 20000 unknowns can be eliminated, those over the dims of "
                         "'point', and with the Schur complement S of the others the factor of S "
                         "has 2.4e+04 entries, 1."));
}

// Each round of observations is of all points by the next camera.
Binding seen_by_cameras(const Energy& energy, std::int64_t cameras, std::int64_t points,
                        std::int64_t observations) {
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("C", cameras) && binding.set_extent("P", points) &&
              binding.set_extent("O", observations));
  std::vector<std::int32_t> seen_by, seen;
  for (std::int64_t i = 0; i < observations; ++i) {
    seen_by.push_back(static_cast<std::int32_t>(i / points % cameras));
    seen.push_back(static_cast<std::int32_t>(i % points));
  }
  EXPECT_TRUE(binding.set_map("to_camera", seen_by) && binding.set_map("to_point", seen));
  return binding;
}

TEST(ChooseLinearSolver, EliminatesWhereHalfOfTheUnknownsGo) {
  const Energy energy = cameras();
  const auto choose_for = [&](std::int64_t cameras, std::int64_t points, SolverOptions options,
                              std::int64_t observations = 1) {
    return choose(energy, seen_by_cameras(energy, cameras, points, observations), options);
  };
  const LinearSolverChoice few = choose_for(10, 90, lm());
  EXPECT_EQ(few.solver, schur_cholesky_solver());
  EXPECT_THAT(few.reason,
              StartsWith("180 of 200 unknowns can be eliminated, those over the dims of 'point', "
                         "and the 20 others are few enough to factor, about "));
  EXPECT_THAT(few.reason, HasSubstr("s by schur_pcg"));
  EXPECT_EQ(choose_for(100, 900, lm(), 900 * 300).solver, schur_cholesky_solver())
      << "a camera that sees a point often is one block";
  const LinearSolverChoice many = choose_for(1000, 1100, lm(), 1100 * 200);
  EXPECT_NE(many.solver, schur_cholesky_solver()) << "many pairs";
  EXPECT_THAT(choose_for(90, 10, lm()).reason, HasSubstr("those over the dims of 'camera'"));
  EXPECT_FALSE(choose_for(10, 90, {}).solver->eliminates()) << "Gauss-Newton";
  SolverOptions jacobi = lm();
  jacobi.linear_solver = AutoLinearSolver;
  jacobi.preconditioner = "jacobi";
  EXPECT_FALSE(choose_for(10, 90, jacobi).solver->eliminates());
  SolverOptions named = lm();
  named.eliminate = "camera";
  EXPECT_FALSE(choose_for(10, 90, named).solver->eliminates()) << "few of the unknowns";
}

// A third of 15 for each of points * 5^2 / 2 pairs and 2e-4 for each cube of 2 cameras, over twice
// the observations.
TEST(ChooseLinearSolver, BeginsWithLooseStepsWhereExactOnesCostMuch) {
  const Energy energy = cameras();
  const SolverOptions options = lm();
  const SampledRows rows;
  const auto loose = [&](std::int64_t cameras, std::int64_t points) {
    const Binding binding = seen_by_cameras(energy, cameras, points, 5 * points);
    return InstanceCase(energy, binding, options, rows, DefaultMemoryLimit)
        .loose_iterations(energy.find_unknown("point"), *schur_cholesky_solver());
  };
  EXPECT_EQ(loose(450, 20'000), 0) << "an exact step is quick";
  EXPECT_EQ(loose(900, 100'000), 6);
  EXPECT_EQ(loose(8000, 100'000), 279);
}

TEST(ChooseLinearSolver, IteratesInDoubleWhereCamerasAreManyHopsApart) {
  const Energy energy = cameras();
  const SolverOptions options = lm();
  const SampledRows rows;
  const auto outgrows = [&](std::int64_t cameras, const LinearSolver* solver) {
    const Binding binding = seen_on_a_walk(energy, cameras, 1);  // of half as many hops, as a ring
    return InstanceCase(energy, binding, options, rows, DefaultMemoryLimit).outgrows_float(*solver);
  };
  EXPECT_FALSE(outgrows(100, schur_pcg_solver()));
  EXPECT_TRUE(outgrows(130, schur_pcg_solver()));
  EXPECT_FALSE(outgrows(130, schur_cholesky_solver())) << "it factors in double";
  EXPECT_TRUE(outgrows(130, pcg_solver()));
}

TEST(ChooseLinearSolver, SolvesForFewUnknownsDensely) {
  const Springs few(21, 5), more(22, 5);
  EXPECT_EQ(choose(few.energy, few.binding, lm()).solver, dense_solver());
  EXPECT_EQ(choose(more.energy, more.binding, lm()).solver, sparse_cholesky_solver());
}

Energy smooth_image() {
  EnergyBuilder e("image");
  const DimId w = e.dim("W"), h = e.dim("H");
  const FieldHandle x = e.unknown("X", {w, h});
  const IndexExpr i = e.domain(w), j = e.domain(h);
  e.residual("smooth", select(e.in_bounds(i + 1), x(i + 1, j) - x(i, j), 0.0));
  return built(std::move(e));
}

TEST(ChooseLinearSolver, IteratesOverImages) {
  const Energy energy = smooth_image();
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("W", 100));
  ASSERT_TRUE(binding.set_extent("H", 80));
  const LinearSolverChoice choice = choose(energy, binding, lm());
  EXPECT_EQ(choice.solver, pcg_solver());
  EXPECT_THAT(choice.reason, HasSubstr("linear iterations a step"));
  SolverOptions jacobi = lm();
  jacobi.linear_solver = AutoLinearSolver;
  jacobi.preconditioner = "jacobi";
  EXPECT_THAT(choose(energy, binding, jacobi).reason, HasSubstr("'X' is over a grid"));
  // On a large one it is multigrid that makes few iterations.
  Binding large(energy);
  ASSERT_TRUE(large.set_extent("W", 2048) && large.set_extent("H", 2048));
  for (const char* device : {"h200", "cpu"}) {
    const LinearSolverChoice there =
        choose(energy, large, lm(), own_linear_solvers(), DefaultMemoryLimit, device);
    EXPECT_EQ(there.preconditioner, "multigrid") << there.reason;
  }
  // On a small one the barriers of a GPU take longer than iterations.
  ASSERT_TRUE(binding.set_extent("W", 32) && binding.set_extent("H", 24));
  const LinearSolverChoice small =
      choose(energy, binding, lm(), own_linear_solvers(), DefaultMemoryLimit, "h200");
  EXPECT_EQ(small.preconditioner, "") << small.reason;
  // Kernels skip excluded pixels on a host, where multigrid does not.
  const auto by_free = [&](double free) {
    return choose(energy, binding, lm(), own_linear_solvers(), DefaultMemoryLimit, "cpu", 0, free)
        .preconditioner;
  };
  ASSERT_TRUE(binding.set_extent("W", 200) && binding.set_extent("H", 160));
  EXPECT_EQ(by_free(1), "multigrid");
  EXPECT_EQ(by_free(0.05), "");
  // Unless the data hold each pixel.
  const LinearSolverChoice held =
      choose(energy, large, lm(), own_linear_solvers(), DefaultMemoryLimit, "h200", 0.2);
  EXPECT_EQ(held.preconditioner, "") << held.reason;
  // A row of pixels is a chain.
  ASSERT_TRUE(binding.set_extent("H", 1));
  EXPECT_EQ(choose(energy, binding, lm()).solver, sparse_cholesky_solver());
}

TEST(InstanceCase, ExpectsIterationsByHopsAndByWhatDataHold) {
  const auto expected = [](const Energy& energy, const Binding& binding, const SampledRows& rows) {
    const SolverOptions options = lm();
    const InstanceCase its(energy, binding, options, rows, DefaultMemoryLimit);
    return std::pair(its.diagonal_iterations(), its.iterated().steps);
  };
  const Energy image = smooth_image();
  Binding pixels(image);
  ASSERT_TRUE(pixels.set_extent("W", 100) && pixels.set_extent("H", 80));
  EXPECT_EQ(expected(image, pixels, {}), std::pair(90.0, 1.3));
  EXPECT_EQ(expected(image, pixels, {.free = 0.25}), std::pair(45.0, 1.3));
  EXPECT_EQ(expected(image, pixels, {.anchoring = 0.25}), std::pair(3.4, 1.3));
  const Springs chain(101, 0), poses(101, 0, Manifold::SE3), square(10'000, 0, Manifold::SE3, 100);
  EXPECT_EQ(expected(chain.energy, chain.binding, {}), std::pair(500.0, 1.3));
  EXPECT_EQ(expected(chain.energy, chain.binding, {.anchoring = 0.25}), std::pair(10.0, 1.3));
  EXPECT_NEAR(expected(poses.energy, poses.binding, {}).second, 1 + 100 / std::sqrt(101), 1e-12);
  EXPECT_NEAR(expected(square.energy, square.binding, {}).second, 2.5, 0.5);
}

TEST(SampledRows, TellHowFirmlyTheDataHoldEachElement) {
  // What data hold of the two channels of a pixel that is like its neighbors, and the least of it,
  // beside a diagonal of 3^2 + 3^2 and what the data add.
  struct Case {
    std::vector<std::array<double, 2>> fits;
    double anchoring;
  };
  const std::vector<Case> cases = {{{{2, 0}, {0, 3}}, 4.0 / (4 + 18)},
                                   {{{2, 0}}, 0},
                                   {{{2, 2}}, 0},  // their difference is free
                                   {{{2, 2}, {2, -2}}, 8.0 / (8 + 18)}};
  for (const Case& one : cases) {
    EnergyBuilder e("image");
    const DimId w = e.dim("W"), h = e.dim("H");
    const FieldHandle x = e.unknown("X", {w, h}, 2), held = e.array("held", {w, h});
    const IndexExpr i = e.domain(w), j = e.domain(h);
    const auto here = x(i, j), next = x(i + 1, j);
    for (const auto& [first, second] : one.fits) {
      e.residual("fit " + std::to_string(first) + " " + std::to_string(second),
                 first * here[0] + second * here[1]);
    }
    const auto smooth = [&](int c) {
      return select(e.in_bounds(i + 1), 3.0 * (next[c] - here[c]), 0.0);
    };
    e.residual("smooth", Vec{smooth(0), smooth(1)});
    e.exclude(x, {i, j}, held(i, j) > 0.5);
    const Energy energy = built(std::move(e));
    // Columns are as long as a power of two, so that every so-manyth pixel is in one column.
    Binding binding(energy);
    std::vector<double> held_columns(64 * 64);
    for (std::size_t at = 0; at < held_columns.size(); ++at)
      held_columns[at] = at % 64 < 48 ? 1 : 0;
    ASSERT_TRUE(binding.set_extent("W", 64) && binding.set_extent("H", 64) &&
                binding.set_field("X", std::vector<double>(2 * 64 * 64)) &&
                binding.set_field("held", held_columns));
    const SampledRows sampled = sample_rows(energy, binding);
    EXPECT_NEAR(sampled.anchoring, one.anchoring, 0.02);
    EXPECT_NEAR(sampled.free, 0.25, 0.02);
  }
}

// A residual that reads so many elements of a vector.
Energy long_sum(int reads) {
  EnergyBuilder e("long_sum");
  const DimId n = e.dim("N");
  const FieldHandle x = e.unknown("X", {n});
  const IndexExpr i = e.domain(n);
  Expr sum = x(i);
  for (int k = 1; k < reads; ++k) sum = sum + x(i + k);
  e.residual("fit", sum);
  return built(std::move(e));
}

TEST(ChooseLinearSolver, IteratesWhereAResidualReadsVeryManyUnknowns) {
  for (const std::int64_t unknowns : {50, 500}) {
    const Energy longest = long_sum(64);
    Binding binding(longest);
    ASSERT_TRUE(binding.set_extent("N", unknowns));
    EXPECT_THAT(choose(longest, binding, lm()).reason, testing::Not(HasSubstr("which meet in")));
    const Energy longer = long_sum(65);
    Binding bound(longer);
    ASSERT_TRUE(bound.set_extent("N", unknowns));
    const LinearSolverChoice choice = choose(longer, bound, lm());
    EXPECT_EQ(choice.solver, pcg_solver());
    EXPECT_EQ(choice.reason,
              "a residual of 'fit' reads 65 unknowns, which meet in 2145 entries of JtJ");
  }
}

TEST(ChooseLinearSolver, IteratesWhereVeryManyPairsMeet) {
  const Energy energy = long_sum(64);
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("N", 10'000));
  const LinearSolverChoice choice = choose(energy, binding, lm());
  EXPECT_EQ(choice.solver, pcg_solver());
  EXPECT_EQ(choice.reason, "2.1e+07 pairs of unknowns meet in JtJ, more than 2e+07");
}

TEST(ChooseLinearSolver, IteratesWhereTheTablesExceedTheMemoryLimit) {
  const Springs springs(500, 5);
  const LinearSolverChoice choice =
      choose(springs.energy, springs.binding, lm(), own_linear_solvers(), 1000);
  EXPECT_EQ(choice.solver, pcg_solver());
  EXPECT_THAT(choice.reason, HasSubstr("the memory limit is"));
}

}  // namespace
}  // namespace thallo
