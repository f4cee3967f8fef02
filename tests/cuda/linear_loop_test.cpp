// The linear loop as a graph against the loop run from the host, on a small image problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/cuda/small_program.h"
#include "tests/support/scoped_env.h"

namespace thallo {
namespace {

using test::make_bound;

// Smoothing of an image with a border that is held: u - f, and differences to two neighbors.
Energy smoothing() {
  EnergyBuilder e("smoothing");
  const DimId w = e.dim("W");
  const DimId h = e.dim("H");
  const auto u = e.unknown("u", {w, h}, 2);
  const auto f = e.array("f", {w, h}, 2);
  const auto x = e.domain(w);
  const auto y = e.domain(h);
  const Vec here = u(x, y);
  e.residual("fit", 0.1 * (here - Vec(f(x, y))));
  const Expr right = e.in_bounds(x + 1, w);
  const Expr up = e.in_bounds(y + 1, h);
  const Vec next = u(x + 1, y);
  const Vec above = u(x, y + 1);
  for (std::size_t c = 0; c < 2; ++c) {
    e.residual(c == 0 ? "smooth0" : "smooth1",
               {select(right, here[c] - next[c], 0.0), select(up, here[c] - above[c], 0.0)});
  }
  const auto px = e.add_domain(w);
  const auto py = e.add_domain(h);
  const IndexExpr row(&e, e.graph().indices().component(px));
  e.exclude(u.id(), {px, py}, equal(e.value_of(row), 0));
  return *std::move(e).build();
}

Binding smoothing_data(const Energy& energy, int w, int h) {
  Binding binding(energy);
  const auto size = static_cast<std::size_t>(2 * w * h);
  std::vector<float> f(size);
  std::vector<float> u(size);
  for (std::size_t i = 0; i < size; ++i) {
    f[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)));
    u[i] = static_cast<float>(std::cos(0.11 * static_cast<double>(i)));
  }
  EXPECT_TRUE(binding.set_extent("W", w) && binding.set_extent("H", h) &&
              binding.set_field("f", std::move(f)) && binding.set_field("u", std::move(u)));
  return binding;
}

struct LoopCase {
  ProgramOptions options;
  LinearLoop loop;
  double residual_tolerance = 0;
  double q_tolerance = 0;
  Strategy strategy = Strategy::JtJp;
  StorageFormat j_format = StorageFormat::Structured;
  StorageFormat jtj_format = StorageFormat::Structured;
};

Plan plan_of(const Energy& energy, const LoopCase& c) {
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) {
    part.strategy = c.strategy;
    part.j_format = c.j_format;
    part.jtj_format = c.jtj_format;
  }
  return plan;
}

struct LoopResult {
  std::vector<double> r;
  SolverState state{};
};

// One linear solve in double; with or without a graph.
LoopResult run_loop(Backend& backend, const Energy& energy, const Binding& binding,
                    const LoopCase& c, bool as_graph) {
  const test::ScopedEnv graph("THALLO_CUDA_GRAPH", as_graph ? "1" : "0");
  auto executable = make_bound(backend, make_program(energy, plan_of(energy, c), c.options),
                               binding, Precision::Double);
  if (executable == nullptr) return {};
  SolverState state{};
  at(state, StateSlot::MaxLinearIterations) = c.loop.max_iterations;
  at(state, StateSlot::ResetPeriod) = c.loop.reset_period;
  at(state, StateSlot::ResidualTolerance) = c.residual_tolerance;
  at(state, StateSlot::QTolerance) = c.q_tolerance;
  at(state, StateSlot::Radius) = 1e4;
  at(state, StateSlot::StepFactor) = 1;
  at(state, StateSlot::MinDiagonal) = 1e-6;
  at(state, StateSlot::MaxDiagonal) = 1e32;
  executable->write_state(state);
  for (const Phase phase : {Phase::Setup, Phase::Values, Phase::Linearize, Phase::SaveScale}) {
    executable->run(phase);
  }
  // Twice: the second solve launches the graph of the first.
  for (int i = 0; i < 2; ++i) {
    executable->run(Phase::Damp);
    executable->run_linear_loop(c.loop);
  }
  // The residual, which every iteration moves; Gauss-Newton's x waits for the retraction.
  return {executable->read_buffer(executable->program().vector(SolverVector::R)),
          executable->read_state()};
}

void expect_equal(const LoopResult& graph, const LoopResult& host) {
  ASSERT_EQ(graph.r.size(), host.r.size());
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < host.r.size(); ++i) {
    largest = std::max(largest, std::abs(host.r[i]));
    difference = std::max(difference, std::abs(host.r[i] - graph.r[i]));
  }
  EXPECT_GT(largest, 0);
  // Sums of atomics come in another order.
  EXPECT_LT(difference, 1e-9 * largest);
  EXPECT_EQ(at(graph.state, StateSlot::LinearIteration),
            at(host.state, StateSlot::LinearIteration));
  EXPECT_EQ(at(graph.state, StateSlot::Stop), 1);
  EXPECT_EQ(at(host.state, StateSlot::Stop), 1);
}

class CudaLinearLoop : public testing::TestWithParam<LoopCase> {};

TEST_P(CudaLinearLoop, TheGraphComputesWhatTheHostLoopDoes) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = smoothing();
  const Binding binding = smoothing_data(energy, 19, 14);
  const LoopResult graph = run_loop(cuda, energy, binding, GetParam(), true);
  const LoopResult host = run_loop(cuda, energy, binding, GetParam(), false);
  expect_equal(graph, host);
}

// Products by cuSPARSE and cuBLAS, captured into the graph, against those by generated kernels from
// the host; resets and a stop within a body, behind which libraries run on.
class CudaLibraryLoop : public testing::TestWithParam<LoopCase> {};

TEST_P(CudaLibraryLoop, ComputesWhatGeneratedKernelsDo) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = smoothing();
  const Binding binding = smoothing_data(energy, 19, 14);
  LoopCase generated = GetParam();
  generated.strategy = Strategy::JtJp;
  const LoopResult expected = run_loop(cuda, energy, binding, generated, false);
  {
    SCOPED_TRACE("graph");
    const LogCapture log;
    expect_equal(run_loop(cuda, energy, binding, GetParam(), true), expected);
    for (const LogRecord& record : log.records())
      EXPECT_EQ(record.text.find("runs from the host"), std::string::npos) << record.text;
  }
  SCOPED_TRACE("host loop");
  expect_equal(run_loop(cuda, energy, binding, GetParam(), false), expected);
}

const ProgramOptions gauss_newton{.solver = SolverKind::GaussNewton};
const ProgramOptions levenberg{.solver = SolverKind::LevenbergMarquardt};
const ProgramOptions blocks{.solver = SolverKind::LevenbergMarquardt,
                            .preconditioner = block_jacobi_preconditioner()};

INSTANTIATE_TEST_SUITE_P(
    Cases, CudaLinearLoop,
    testing::Values(LoopCase{gauss_newton, {.max_iterations = 1}},
                    LoopCase{gauss_newton, {.max_iterations = 17}},
                    LoopCase{gauss_newton, {.max_iterations = 100}, 1e-3},  // stops in a body
                    LoopCase{levenberg, {.max_iterations = 23}},
                    LoopCase{levenberg, {.max_iterations = 40, .reset_period = 7}},
                    LoopCase{levenberg, {.max_iterations = 40, .reset_period = 10}},
                    LoopCase{levenberg, {.max_iterations = 12, .reset_period = 1}},
                    LoopCase{levenberg, {.max_iterations = 60, .reset_period = 37}},
                    LoopCase{levenberg, {.max_iterations = 50, .reset_period = 10}, 0, 1e-2},
                    LoopCase{blocks, {.max_iterations = 30, .reset_period = 10}}));

struct StoredMatrixCase {
  Strategy strategy;
  StorageFormat j_format, jtj_format;
};

std::vector<LoopCase> library_cases() {
  using enum StorageFormat;
  std::vector<LoopCase> cases;
  for (const auto& [strategy, j_format, jtj_format] :
       {StoredMatrixCase{Strategy::StoredJ, Csr, Structured},
        StoredMatrixCase{Strategy::StoredJ, Dense, Structured},
        StoredMatrixCase{Strategy::StoredJtJ, Structured, Csr},
        StoredMatrixCase{Strategy::StoredJtJ, Structured, Dense},
        StoredMatrixCase{Strategy::StoredJtJOfStoredJ, Csr, Csr},
        StoredMatrixCase{Strategy::StoredJtJOfStoredJ, Dense, Dense}}) {
    for (const LoopCase& loop :
         {LoopCase{gauss_newton, {.max_iterations = 17}},
          LoopCase{gauss_newton, {.max_iterations = 100}, 1e-3},
          LoopCase{levenberg, {.max_iterations = 40, .reset_period = 7}},
          LoopCase{blocks, {.max_iterations = 50, .reset_period = 10}, 0, 1e-2}}) {
      cases.push_back(loop);
      cases.back().strategy = strategy;
      cases.back().j_format = j_format;
      cases.back().jtj_format = jtj_format;
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaLibraryLoop, testing::ValuesIn(library_cases()));

// Patterns and workspaces follow a bind to other sizes and back.
TEST(CudaLibraries, FollowTheSizes) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = smoothing();
  for (const auto& [strategy, j_format, jtj_format] :
       {StoredMatrixCase{Strategy::StoredJ, StorageFormat::Csr, StorageFormat::Structured},
        StoredMatrixCase{Strategy::StoredJtJ, StorageFormat::Structured, StorageFormat::Csr},
        StoredMatrixCase{Strategy::StoredJtJOfStoredJ, StorageFormat::Dense,
                         StorageFormat::Dense}}) {
    LoopCase c{.options = gauss_newton};
    c.strategy = strategy;
    c.j_format = j_format;
    c.jtj_format = jtj_format;
    auto executable = make_bound(cuda, make_program(energy, plan_of(energy, c), gauss_newton),
                                 smoothing_data(energy, 9, 9), Precision::Double);
    ASSERT_NE(executable, nullptr);
    for (const int w : {9, 30, 4}) {
      const Binding binding = smoothing_data(energy, w, 11);
      ASSERT_TRUE(executable->bind(binding).has_value());
      SolverState state{};
      at(state, StateSlot::MaxLinearIterations) = w;
      executable->write_state(state);
      for (const Phase phase : {Phase::Setup, Phase::Linearize, Phase::Damp})
        executable->run(phase);
      executable->run_linear_loop({.max_iterations = w});
      const std::vector<double> r =
          executable->read_buffer(executable->program().vector(SolverVector::R));
      const LoopResult host = run_loop(cuda, energy, binding, {gauss_newton, {w}}, false);
      expect_equal({r, executable->read_state()}, host);
    }
  }
}

TEST(CudaLibraries, CountTheirWorkspacesTowardsTheMemoryLimit) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = smoothing();
  LoopCase c{.options = gauss_newton};
  c.strategy = Strategy::StoredJtJ;
  c.jtj_format = StorageFormat::Dense;
  const auto executable =
      cuda.compile(generate(make_program(energy, plan_of(energy, c), gauss_newton)),
                   {.memory_limit = std::int64_t{16} << 20});
  ASSERT_TRUE(executable) << executable.error().message();
  const Expected<void> bound = (*executable)->bind(smoothing_data(energy, 9, 9));
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().what.find("workspaces of libraries 32 MiB"), std::string::npos)
      << bound.error().what;
}

// A gradient of zero stops the solve before its first iteration; the graph must come to an end.
TEST(CudaLinearLoop, ASolveThatIsOverBeforeItBeginsEnds) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = smoothing();
  Binding binding = smoothing_data(energy, 8, 8);
  binding.field(energy.find_field("u")) = std::vector<float>(128, 1.0F);
  binding.field(energy.find_field("f")) = std::vector<float>(128, 1.0F);
  const LoopResult result = run_loop(cuda, energy, binding,
                                     {levenberg, {.max_iterations = 50, .reset_period = 10}}, true);
  EXPECT_EQ(at(result.state, StateSlot::LinearIteration), 0);
  EXPECT_EQ(at(result.state, StateSlot::Stop), 1);
  for (const double r : result.r) EXPECT_EQ(r, 0);
}

// The graph follows a bind to other sizes, a change of the loop and of a parameter's value.
TEST(CudaLinearLoop, TheGraphIsRebuiltForOtherSizes) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = smoothing();
  auto executable = make_bound(cuda, make_program(energy, default_plan(energy), gauss_newton),
                               smoothing_data(energy, 9, 9), Precision::Double);
  ASSERT_NE(executable, nullptr);
  for (const int w : {9, 30, 4}) {
    const Binding binding = smoothing_data(energy, w, 11);
    ASSERT_TRUE(executable->bind(binding).has_value());
    SolverState state{};
    at(state, StateSlot::MaxLinearIterations) = w;
    executable->write_state(state);
    for (const Phase phase : {Phase::Setup, Phase::Linearize, Phase::Damp}) executable->run(phase);
    executable->run_linear_loop({.max_iterations = w});
    const std::vector<double> r =
        executable->read_buffer(executable->program().vector(SolverVector::R));
    const LoopResult host = run_loop(cuda, energy, binding, {gauss_newton, {w}}, false);
    expect_equal({r, executable->read_state()}, host);
  }
}

}  // namespace
}  // namespace thallo
