// Batches on a device: graphs against single phases, what interrupts them, and their times.
// tests/solve/batch_test.cpp has those that run on every backend.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/kernel/lower.h"
#include "core/solve/solver.h"
#include "tests/cuda/small_program.h"
#include "tests/support/energies.h"
#include "tests/support/scoped_env.h"

namespace thallo {
namespace {

using test::make_bound;
using test::ScopedEnv;

// u (N) near data f, neighbors alike.
Energy chain() {
  EnergyBuilder e("chain");
  const DimId n = e.dim("N");
  const auto u = e.unknown("u", {n});
  const auto f = e.array("f", {n});
  const auto w = e.param("w");
  const auto i = e.domain(n);
  e.residual("fit", {w * (u(i) - f(i))});
  e.residual("smooth", {select(e.in_bounds(i + 1, n), u(i) - u(i + 1), 0.0)});
  return test::build(std::move(e));
}

Binding chain_data(const Energy& energy, std::int64_t n) {
  Binding binding(energy);
  std::vector<double> u(static_cast<std::size_t>(n)), f(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = std::cos(0.11 * static_cast<double>(i));
    f[i] = std::sin(0.37 * static_cast<double>(i));
  }
  EXPECT_TRUE(binding.set_extent("N", n) && binding.set_param("w", 0.01) &&
              binding.set_field("u", std::move(u)) && binding.set_field("f", std::move(f)));
  return binding;
}

SolverOptions options_of(SolverKind solver, int iterations) {
  SolverOptions o;
  o.solver = solver;
  o.num_iterations = iterations;
  o.num_linear_iterations = 5;
  o.function_tolerance = 0;
  return o;
}

std::unique_ptr<Executable> bound_chain(Backend& backend, const Energy& energy,
                                        const Binding& binding, const ProgramOptions& options) {
  return make_bound(backend, make_program(energy, default_plan(energy), options), binding,
                    Precision::Double);
}

TEST(CudaBatch, GraphsEndWhereSinglePhasesDo) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = chain();
  for (const SolverKind solver : {SolverKind::GaussNewton, SolverKind::LevenbergMarquardt}) {
    for (const auto& [linear, n] :
         {std::pair(pcg_solver(), 50), {dense_solver(), 50}, {dense_solver(), 200}}) {
      SCOPED_TRACE(std::string(linear->name()));
      const ProgramOptions options{.solver = solver, .linear_solver = linear};
      std::vector<SolverSummary> summaries;
      std::vector<HostArray> ends;
      for (const char* graphs : {"1", "0"}) {
        const ScopedEnv use_graphs("THALLO_CUDA_GRAPH", graphs);
        const LogCapture log;
        Binding binding = chain_data(energy, n);
        const auto executable = bound_chain(cuda, energy, binding, options);
        ASSERT_NE(executable, nullptr);
        // Phases become a graph in their fifth batch.
        const auto summary = solve(*executable, options_of(solver, 12));
        ASSERT_TRUE(summary) << summary.error().message();
        summaries.push_back(*summary);
        executable->download_unknowns(binding);
        ends.push_back(binding.field(energy.find_field("u")));
        for (const LogRecord& record : log.records()) ADD_FAILURE() << record.text;
      }
      EXPECT_NEAR(summaries[0].final_cost, summaries[1].final_cost, 1e-9);
      EXPECT_LT(summaries[0].final_cost, summaries[0].initial_cost);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        EXPECT_NEAR(ends[0].value(i), ends[1].value(i), 1e-8);
      for (const SolverSummary& summary : summaries) {
        EXPECT_GT(summary.seconds.linearize, 0);
        EXPECT_GT(summary.seconds.linear, 0);
        EXPECT_GT(summary.seconds.cost, 0);
        EXPECT_GT(summary.seconds.update, 0);
      }
    }
  }
}

// A param of the graphs and then the sizes change between solves of one executable.
TEST(CudaBatch, GraphsFollowTheData) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = chain();
  for (const LinearSolver* linear : {pcg_solver(), dense_solver()}) {
    const ProgramOptions options{.solver = SolverKind::GaussNewton, .linear_solver = linear};
    Binding binding = chain_data(energy, 50);
    const auto kept = bound_chain(cuda, energy, binding, options);
    ASSERT_NE(kept, nullptr);
    for (const std::int64_t n : {50, 50, 300, 50}) {
      for (const double w : {0.01, 2.0, 0.3}) {
        binding = chain_data(energy, n);
        ASSERT_TRUE(binding.set_param("w", w));
        ASSERT_TRUE(kept->bind(binding));
        const auto fresh = bound_chain(cuda, energy, binding, options);
        ASSERT_NE(fresh, nullptr);
        const auto a = solve(*kept, options_of(SolverKind::GaussNewton, 8));
        const auto b = solve(*fresh, options_of(SolverKind::GaussNewton, 8));
        ASSERT_TRUE(a && b);
        EXPECT_NEAR(a->final_cost, b->final_cost, 1e-9 * b->initial_cost)
            << linear->name() << " " << n << " " << w;
      }
    }
  }
}

// Linear iterations that would take hours, ended by the time limit.
TEST(CudaBatch, ATimeLimitEndsALongLoop) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = chain();
  const ProgramOptions options{.solver = SolverKind::GaussNewton, .linear_solver = pcg_solver()};
  Binding binding = chain_data(energy, 1 << 20);
  ASSERT_TRUE(binding.set_param("w", 1e-7));
  const auto executable = bound_chain(cuda, energy, binding, options);
  ASSERT_NE(executable, nullptr);
  SolverOptions o = options_of(SolverKind::GaussNewton, 3);
  o.num_linear_iterations = 1'000'000'000;
  o.max_solver_time_in_seconds = 0.3;
  const auto summary = solve(*executable, o);
  ASSERT_TRUE(summary);
  EXPECT_LT(summary->seconds.total, 5);
  EXPECT_EQ(summary->termination, Termination::TimeLimit);
}

TEST(CudaBatch, CountsTheLaunchesOfItsPhases) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = chain();
  const ProgramOptions options{.solver = SolverKind::GaussNewton, .linear_solver = pcg_solver()};
  const auto executable = bound_chain(cuda, energy, chain_data(energy, 50), options);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(solve(*executable, options_of(SolverKind::GaussNewton, 4)));
  const auto launches = [&](Phase phase) {
    for (const PhaseTiming& timing : executable->timing())
      if (timing.phase == phase) return timing.launches;
    return std::int64_t{0};
  };
  EXPECT_EQ(launches(Phase::Apply), 4) << "a loop is one launch";
  EXPECT_EQ(launches(Phase::Accept), 4);
  EXPECT_EQ(launches(Phase::Retract) % 4, 0);
  EXPECT_GT(launches(Phase::Linearize), 0);
}

}  // namespace
}  // namespace thallo
