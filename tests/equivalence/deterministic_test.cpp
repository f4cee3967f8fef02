// Deterministic programs: no two points of a kernel add to one element, and what is added up in
// order is what the definition of the energy says. On the interpreter; tests/backend has the
// threads of the cpu and tests/cuda the text for a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "core/kernel/meetings.h"
#include "core/problem/driver.h"
#include "core/problem/suit_program.h"
#include "core/schedule/gather.h"
#include "tests/equivalence/random_programs.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/built_plugins.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

ProgramOptions in_order(ProgramOptions options) {
  options.is_deterministic = true;
  return options;
}

// The memory that points of the section meet at; invalid if they meet nowhere.
FieldId find_meeting(const Meetings& meetings, const Section& section, const Block& block) {
  for (const Statement& statement : block) {
    FieldId found;
    if (const auto* loop = std::get_if<Loop>(&statement.node)) {
      found = find_meeting(meetings, section, loop->body);
    } else if (const auto* guard = std::get_if<Guard>(&statement.node)) {
      found = find_meeting(meetings, section, guard->body);
    } else if (const auto addition = addition_in(statement)) {
      if (meetings.meet(section, *addition)) found = addition->memory;
    }
    if (found.valid()) return found;
  }
  return {};
}

// The first step that adds in an order of its own; empty if there is none.
std::string fault_of(const KernelProgram& program) {
  for (const Kernel& kernel : program.kernels) {
    const Meetings meetings(program, kernel);
    for (const Section& section : kernel.sections) {
      const FieldId at = find_meeting(meetings, section, section.body);
      if (at.valid()) return kernel.label + ": its points meet at " + program.field(at).name;
    }
  }
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      const auto* product = std::get_if<MultiplyMatrix>(&step);
      if (product == nullptr || !product->is_transposed) continue;
      const StoredMatrix& matrix = program.matrices[product->matrix];
      if (matrix.kind == MatrixKind::Csr) return program.buffers[matrix.values].name + ": cuSPARSE";
    }
  }
  return "";
}

// The plan with the products gathered that must be, and without a format that is refused.
Plan ordered(const Energy& energy, Plan plan) {
  for (Part& part : plan.parts) {
    part.jtf = part.jtjp = part.jt = most_gathered(energy, part.residuals);
    if (!check_order(energy, part)) part.j_format = StorageFormat::Structured;
  }
  return plan;
}

class DeterministicPrograms : public RandomPrograms {
 protected:
  void expect_order(const RandomEnergy& random, const Plan& plan, const ProgramOptions& options) {
    // A thread of a block with rows adds at more than its own point.
    Plan one_point_a_thread = plan;
    one_point_a_thread.extensions.clear();
    const KernelProgram program =
        make_program(random.energy, one_point_a_thread, in_order(options));
    EXPECT_EQ(fault_of(program), "");
    num_orders_ += program.addition_orders.size();
    expect_conformance(*interpreter_, random, plan, in_order(options));
  }

  std::unique_ptr<Backend> interpreter_ = interpreter();
  std::size_t num_orders_ = 0;
};

TEST_F(DeterministicPrograms, ComputeTheOperatorAndTheMatrixInOrder) {
  for (std::uint64_t seed = 701; seed <= 740 && !HasFailure(); ++seed) {
    for (const RandomEnergy& random :
         {make_random_energy(seed), make_random_stencil_energy(seed)}) {
      expect_order(random, ordered(random.energy, random_plan(random.energy, seed)), damped_blocks);
    }
  }
  EXPECT_TRUE(HasFailure() || num_orders_ > 60) << num_orders_;
  for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()}) {
    for (std::uint64_t seed = 741; seed <= 748 && !HasFailure(); ++seed) {
      const RandomEnergy random = make_random_energy(seed);
      expect_order(random, gathered_plan(random.energy), solved_by(solver));
    }
  }
  EXPECT_TRUE(HasFailure() || num_orders_ > 10) << num_orders_;
}

// What a plan scatters without order is found, and so is nothing else.
TEST_F(DeterministicPrograms, AreToldFromOthers) {
  int num_unordered = 0;
  for (std::uint64_t seed = 751; seed <= 770; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    const Plan plan = default_plan(random.energy);
    num_unordered += fault_of(make_program(random.energy, plan, damped_blocks)).empty() ? 0 : 1;
    const bool is_refused = !check_program(random.energy, plan, in_order(damped_blocks));
    const bool scatters = gathered_plan(random.energy).parts.front().jtf != ComputeAt::Residual;
    EXPECT_GE(is_refused, scatters) << seed;
  }
  EXPECT_GT(num_unordered, 10);
}

class DeterministicProblem : public testing::TestWithParam<SmallInstance> {};

// Whatever solves for a step.
TEST_P(DeterministicProblem, AddsInOrder) {
  const Made made = make(GetParam().problem, GetParam().options);
  for (const auto* entry : own_linear_solvers().entries()) {
    for (const Preconditioner* preconditioner :
         {jacobi_preconditioner(), block_jacobi_preconditioner()}) {
      const LinearSolver& solver = *entry->item;
      ProgramOptions program{SolverKind::LevenbergMarquardt, preconditioner, &solver};
      if (solver.is_direct() && !solver.eliminates()) program.preconditioner = no_preconditioner();
      if (!suit_program(made.energy, made.instance.binding, {}, program)) continue;
      const Plan plan = gathered_plan(made.energy);
      if (!check_program(made.energy, plan, in_order(program))) continue;
      EXPECT_EQ(fault_of(make_program(made.energy, plan, in_order(program))), "") << solver.name();
    }
  }
}

#ifdef THALLO_SLOW_TESTS

// Whole solves by their own defaults, as `thallo solve` makes them; a compiler runs for each.
TEST_P(DeterministicProblem, EndsAtTheSameBitsWithEachNumberOfThreads) {
  const Problem& problem = **loaded_problems().lookup(GetParam().problem);
  std::vector<std::vector<double>> ends;
  for (const int threads : {1, 2, 3, 7}) {
    RunRequest request{.options = GetParam().options,
                       .backend = "cpu",
                       .solver_options = {{"deterministic", "true"}, {"nIterations", "4"}},
                       .parts = {.linear_solvers = &loaded_plugin_items().linear_solvers},
                       .constructs = &loaded_constructs()};
    request.compile.num_threads = threads;
    const auto run = solve_problem(problem, request);
    ASSERT_TRUE(run) << run.error().message();
    std::vector<double>& end = ends.emplace_back();
    for (const FieldId unknown : run->file.energy.unknowns())
      std::ranges::copy(run->instance.binding.field(unknown).to_doubles(), std::back_inserter(end));
    EXPECT_EQ(end, ends.front()) << threads << " threads";
  }
}

#endif

INSTANTIATE_TEST_SUITE_P(Problems, DeterministicProblem, testing::ValuesIn(small_instances()));

}  // namespace
}  // namespace thallo::test
