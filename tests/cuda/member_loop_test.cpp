// The iterations of a batch whose members the device decides for, against those that the host
// decides: the same decisions on the same steps.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/lower.h"
#include "core/solve/minimizer.h"
#include "core/solve/solver.h"
#include "tests/cuda/small_program.h"
#include "tests/support/energies.h"
#include "tests/support/scoped_env.h"

namespace thallo {
namespace {

using test::make_bound;
using test::ScopedEnv;

constexpr std::int64_t Samples = 40;
constexpr std::int64_t Members = 300;

// Bell curves: a member's few unknowns are read by all its residuals.
Energy bells() {
  EnergyBuilder e("bells");
  const DimId samples = e.dim("K"), members = e.batch("B");
  const auto c = e.unknown("u", {members}, 4), t = e.array("t", {samples});
  const auto y = e.array("y", {samples, members});
  const auto k = e.domain(samples), b = e.domain(members);
  const auto p = c(b);
  const Expr x = (t(k) - p[1]) / p[2];
  e.residual("fit", p[0] * exp(-x * x) + p[3] - y(k, b));
  return test::build(std::move(e));
}

// Curves: a member has an unknown for each sample, whose residuals meet.
Energy curves() {
  EnergyBuilder e("curves");
  const DimId samples = e.dim("K"), members = e.batch("B");
  const auto u = e.unknown("u", {samples, members});
  const auto y = e.array("y", {samples, members});
  const auto k = e.domain(samples), b = e.domain(members);
  e.residual("fit", 0.3 * (u(k, b) * u(k, b) - y(k, b)));
  e.residual("smooth", select(e.in_bounds(k + 1, samples), sin(u(k, b)) - sin(u(k + 1, b)), 0.0));
  return test::build(std::move(e));
}

Binding data_of(const Energy& energy, std::int64_t num_members) {
  const bool has_t = energy.find_field("t").valid();
  std::vector<double> u, t, y;
  for (std::int64_t b = 0; b < num_members; ++b) {
    const double number = static_cast<double>(b);
    if (has_t) u.insert(u.end(), {1, 0.2 * std::sin(number), 0.7, 0.1});
    for (std::int64_t k = 0; k < Samples; ++k) {
      const double at = static_cast<double>(k) / 10 - 2;
      const double x = (at - std::cos(number)) / (0.5 + 0.3 * std::sin(3 * number));
      y.push_back((2 + std::sin(2 * number)) * std::exp(-x * x) +
                  0.1 * std::sin(static_cast<double>(7 * k) + number));
      if (!has_t) u.push_back(1 + 0.5 * std::cos(static_cast<double>(k) + number));
      if (b == 0) t.push_back(at);
    }
  }
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("K", Samples) && binding.set_extent("B", num_members) &&
              binding.set_field("u", std::move(u)) && binding.set_field("y", std::move(y)));
  if (has_t) EXPECT_TRUE(binding.set_field("t", std::move(t)));
  return binding;
}

struct Case {
  std::string name;
  Energy (*energy)();
  SolverKind solver;
  const LinearSolver* linear;
  int max_step_halvings = 20;
};

class MemberLoop : public testing::TestWithParam<Case> {
 protected:
  static SolverOptions options() {
    SolverOptions o;
    o.solver = GetParam().solver;
    o.num_iterations = 12;  // rounding is not told apart from other steps yet
    o.num_linear_iterations = 25;
    o.function_tolerance = 1e-8;
    o.max_step_halvings = GetParam().max_step_halvings;
    return o;
  }
  std::unique_ptr<Executable> bound(Backend& backend, const Binding& binding) const {
    const ProgramOptions of{.solver = GetParam().solver, .linear_solver = GetParam().linear};
    return make_bound(backend, make_program(energy_, default_plan(energy_), of), binding,
                      Precision::Double);
  }

  Energy energy_ = GetParam().energy();
};

TEST_P(MemberLoop, DecidesAsTheHostDoes) {
  THALLO_REQUIRE_CUDA(cuda);
  for (const std::int64_t num_members : {std::int64_t{1}, std::int64_t{5}, Members}) {
    SCOPED_TRACE(num_members);
    std::vector<SolverSummary> summaries;
    std::vector<HostArray> ends;
    for (const char* device_decides : {"1", "0"}) {
      const ScopedEnv graphs("THALLO_CUDA_GRAPH", device_decides);
      Binding binding = data_of(energy_, num_members);
      const auto executable = bound(cuda, binding);
      ASSERT_NE(executable, nullptr);
      const auto summary = solve(*executable, options());
      ASSERT_TRUE(summary) << summary.error().message();
      summaries.push_back(*summary);
      executable->download_unknowns(binding);
      ends.push_back(binding.field(energy_.find_field("u")));
    }
    const auto& [device, host] = std::pair(summaries[0], summaries[1]);
    EXPECT_EQ(device.num_iterations, host.num_iterations);
    EXPECT_EQ(device.termination, host.termination);
    EXPECT_NEAR(device.final_cost, host.final_cost, 1e-7 * host.final_cost);
    ASSERT_EQ(device.iterations.size(), host.iterations.size());
    for (std::size_t i = 0; i < host.iterations.size(); ++i) {
      const IterationRecord &a = device.iterations[i], &b = host.iterations[i];
      EXPECT_NEAR(a.cost, b.cost, 1e-7 * b.cost) << i;
      EXPECT_NEAR(a.step_norm, b.step_norm, 1e-6 * b.step_norm + 1e-9) << i;
      EXPECT_NEAR(a.gradient_max, b.gradient_max, 1e-6 * b.gradient_max + 1e-9) << i;
      EXPECT_EQ(a.accepted, b.accepted) << i;
    }
    for (std::size_t i = 0; i < host.members.size(); ++i) {
      EXPECT_EQ(device.members[i].num_iterations, host.members[i].num_iterations) << i;
      EXPECT_EQ(device.members[i].termination, host.members[i].termination) << i;
      EXPECT_NEAR(device.members[i].final_cost, host.members[i].final_cost,
                  1e-7 * host.members[i].final_cost)
          << i;
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i)
      EXPECT_NEAR(ends[0].value(i), ends[1].value(i), 1e-6) << i;
  }
}

TEST_P(MemberLoop, StepsAndCallbacksSeeEachIteration) {
  THALLO_REQUIRE_CUDA(cuda);
  Binding binding = data_of(energy_, Members);
  const auto executable = bound(cuda, binding);
  ASSERT_NE(executable, nullptr);
  const auto whole = solve(*executable, options());
  ASSERT_TRUE(whole) << whole.error().message();
  ASSERT_TRUE(executable->bind(binding));
  auto minimizer = Minimizer::begin(*executable, options());
  ASSERT_TRUE(minimizer) << minimizer.error().message();
  for (std::size_t i = 1; i < whole->iterations.size(); ++i) {
    ASSERT_TRUE(minimizer->step());
    const auto cost = minimizer->cost();
    ASSERT_TRUE(cost);
    EXPECT_NEAR(*cost, whole->iterations[i].cost, 1e-9 * *cost) << i;
  }
  EXPECT_FALSE(*minimizer->step());
}

TEST_P(MemberLoop, EndsWhenItsIterationsAreUsedUp) {
  THALLO_REQUIRE_CUDA(cuda);
  Binding binding = data_of(energy_, Members);
  const auto executable = bound(cuda, binding);
  ASSERT_NE(executable, nullptr);
  SolverOptions few = options();
  few.num_iterations = 3;
  few.function_tolerance = 0;
  const auto summary = solve(*executable, few);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->num_iterations, 3);
  for (const auto& member : summary->members) EXPECT_LE(member.num_iterations, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Batches, MemberLoop,
    testing::Values(Case{"LmDense", bells, SolverKind::LevenbergMarquardt, dense_solver()},
                    Case{"LmPcg", bells, SolverKind::LevenbergMarquardt, pcg_solver()},
                    Case{"GnDense", bells, SolverKind::GaussNewton, dense_solver()},
                    Case{"GnUnhalved", bells, SolverKind::GaussNewton, dense_solver(), 0},
                    Case{"CurvesLmPcg", curves, SolverKind::LevenbergMarquardt, pcg_solver()},
                    Case{"CurvesGnPcg", curves, SolverKind::GaussNewton, pcg_solver()}),
    [](const auto& info) { return info.param.name; });

// Its steps lead from u to -u and back.
Energy swing() {
  EnergyBuilder e("swing");
  const DimId members = e.batch("B");
  const auto u = e.unknown("u", {members});
  const auto b = e.domain(members);
  e.residual("r", u(b) / sqrt(sqrt(u(b) * u(b))));
  return test::build(std::move(e));
}

TEST(MemberLoopLimit, TimeEndsIterationsThatDoNotEnd) {
  THALLO_REQUIRE_CUDA(cuda);
  const Energy energy = swing();
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("B", 2) && binding.set_field("u", std::vector<double>{1, 2}));
  const auto executable =
      make_bound(cuda,
                 make_program(energy, default_plan(energy),
                              {.solver = SolverKind::GaussNewton, .linear_solver = dense_solver()}),
                 binding, Precision::Double);
  ASSERT_NE(executable, nullptr);
  SolverOptions o;
  o.num_iterations = 2'000'000'000;
  o.max_step_halvings = 0;
  o.max_solver_time_in_seconds = 0.2;
  const auto summary = solve(*executable, o);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->termination, Termination::TimeLimit) << summary->num_iterations;
  EXPECT_GT(summary->num_iterations, 1000);
}

}  // namespace
}  // namespace thallo
