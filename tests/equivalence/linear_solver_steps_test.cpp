// Every linear solver under different schedules takes the same steps, on every problem at a size
// that all of them solve. What they are compared with are the steps of sparse_cholesky in double,
// under the default schedule, on the interpreter.
//
// In the default run the interpreter takes them. THALLO_SLOW_TESTS adds the cpu and, where there is
// one, the GPU, in double and in float, with more schedules and steps: a compiler runs for each.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/frontend/energy_file.h"
#include "core/frontend/schedule_text.h"
#include "core/kernel/lower.h"
#include "core/linear/linear_solver.h"
#include "core/problem/instance_solver.h"
#include "core/problem/suit_program.h"
#include "core/schedule/schedule_reader.h"
#include "core/search/schedule_space.h"
#include "core/solve/solver.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/built_plugins.h"
#include "tests/support/in_turn.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

// The second step is damped as the first one's success has it.
constexpr int NumSteps = TakesAllVariants ? 3 : 2;

struct Case {
  const char* backend;
  Precision precision;
  int num_random_schedules;
  double tolerance;  // of costs, relative to the cost at the start

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << c.backend << " in " << to_string(c.precision);
  }
};

std::vector<Case> cases() {
  std::vector<Case> all = {{"interpreter", Precision::Double, 1, 1e-9}};
#ifdef THALLO_SLOW_TESTS
  for (const char* backend : {"cpu", "cuda"}) {
    all.push_back({backend, Precision::Double, 4, 1e-9});
    all.push_back({backend, Precision::Float, 4, 1e-4});
  }
#endif
  return all;
}

// Options of a solve that takes NumSteps steps, each solved as exactly as the solver can. Damping
// by the diagonal itself keeps the condition such that rounding and PCG's tests do not show.
std::vector<std::pair<std::string, std::string>> exact_steps(std::string_view linear_solver,
                                                             Precision precision) {
  return {{"solver", "lm"},
          {"linear_solver", std::string(linear_solver)},
          {"nIterations", std::to_string(NumSteps)},
          {"trust_region_radius", "1"},
          {"lIterations", "2000"},
          {"q_tolerance", "0"},
          {"residual_tolerance", precision == Precision::Double ? "1e-13" : "1e-6"},
          {"function_tolerance", "0"},
          {"gradient_tolerance", "0"},
          {"parameter_tolerance", "0"}};
}

class LinearSolverSteps : public testing::TestWithParam<std::tuple<SmallInstance, Case>> {
 protected:
  void SetUp() override {
    auto made = make_backend(backend_case().backend);
    if (!made) GTEST_SKIP() << made.error().message();
    backend_ = *std::move(made);
  }

  static const SmallInstance& small() { return std::get<0>(GetParam()); }
  static const Case& backend_case() { return std::get<1>(GetParam()); }

  // The cost at the start and after each step.
  static std::vector<double> costs(Backend& backend, std::string_view linear_solver,
                                   const std::string& schedule, Precision precision) {
    RunRequest request{.options = small().options,
                       .precision = precision,
                       .solver_options = exact_steps(linear_solver, precision),
                       .parts = {.linear_solvers = &loaded_plugin_items().linear_solvers},
                       .constructs = &loaded_constructs(),
                       .schedule_text = schedule};
    const Problem& problem = **loaded_problems().lookup(small().problem);
    const Options options = complete_options(problem.options(), small().options).value();
    const EnergyFile file = problem.energy(options).value();
    Instance instance = problem.instantiate(file.energy, options).value();
    const auto summary = InstanceSolver(file, request, backend).solve(instance);
    if (!summary) {
      ADD_FAILURE() << summary.error().message();
      return {};
    }
    std::vector<double> result;
    for (const IterationRecord& record : summary->iterations) result.push_back(record.cost);
    return result;
  }

  // True if the solver can eliminate unknowns of the problem under the schedule.
  static bool can_eliminate(const LinearSolver& solver, const Made& made,
                            const std::string& schedule) {
    const Energy& energy = made.energy;
    ProgramOptions program{.preconditioner = block_jacobi_preconditioner(),
                           .linear_solver = &solver};
    if (!suit_program(energy, made.instance.binding, {}, program)) return false;
    const EnergyFile file = with_sites(EnergyFile{energy}, FoundSites::Default);
    const auto statements = load_schedule_text(schedule, "the schedule").value();
    const auto read = read_schedule(file.energy, statements, loaded_constructs()).value();
    return check_program(file.energy, make_plan(file.energy, read, loaded_constructs()).value(),
                         program)
        .has_value();
  }

  // The default schedule, written as no directive, and random ones.
  std::vector<std::string> schedules() const {
    const Problem& problem = **loaded_problems().lookup(small().problem);
    const Options options = complete_options(problem.options(), small().options).value();
    const EnergyFile file = with_sites(problem.energy(options).value(), FoundSites::Default);
    const ScheduleSpace space(file.energy, loaded_constructs(), backend_case().precision);
    std::vector<std::string> texts = {""};
    // Direct solvers need plain vectors; what is kept in less than the working precision has
    // tolerances of its own.
    for (std::uint64_t seed = 1; texts.size() <= num_random() && seed < 1000; ++seed) {
      const ScheduleSpace::Sample sample = space.sample(seed);
      if (sample.plan.vector_order == VectorOrder::Plain &&
          sample.plan.vector_type == ScalarType::Working && sample.plan.product_tolerance == 0)
        texts.push_back(sample.schedule.text(loaded_constructs()));
    }
    EXPECT_EQ(texts.size(), num_random() + 1);
    return texts;
  }

  static std::size_t num_random() {
    return static_cast<std::size_t>(backend_case().num_random_schedules);
  }

  std::unique_ptr<Backend> backend_;
};

TEST_P(LinearSolverSteps, AreTheSame) {
  const auto interpreter = make_backend("interpreter");
  const std::vector<double> expected =
      costs(**interpreter, sparse_cholesky_solver()->name(), "", Precision::Double);
  ASSERT_EQ(expected.size(), 1u + NumSteps);
  const Made made = make(small().problem, small().options);
  const std::int64_t num_unknowns = made.instance.binding.num_unknowns(made.energy);
  for (const std::string& schedule : schedules()) {
    for (const auto* entry : loaded_plugin_items().linear_solvers.entries()) {
      const LinearSolver* solver = entry->item.get();
      if (solver->eliminates() ? !can_eliminate(*solver, made, schedule)
                               : num_unknowns > solver->max_unknowns())
        continue;
      SCOPED_TRACE(fmt::format("{} under\n{}", solver->name(), schedule));
      const std::vector<double> ours =
          costs(*backend_, solver->name(), schedule, backend_case().precision);
      ASSERT_EQ(ours.size(), expected.size());
      for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_NEAR(ours[i], expected[i], backend_case().tolerance * expected[0]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, LinearSolverSteps,
                         testing::Combine(testing::ValuesIn(small_instances()),
                                          testing::ValuesIn(cases())));

}  // namespace
}  // namespace thallo::test
