// The list of a phase's steps against the program that is run.

#include "core/backend/step_info.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/kernel/lower.h"
#include "core/kernel/memory_type.h"
#include "tests/backend/springs.h"

namespace thallo {
namespace {

using test::Damped;

class Steps : public testing::TestWithParam<std::string> {
 protected:
  // Springs of this many vertices and edges on a grid of 7 x 5, bound.
  void bind(const Plan& plan, const ProgramOptions& options, std::int64_t edges = 40) {
    auto backend = make_backend(GetParam());
    if (!backend) GTEST_SKIP() << backend.error().what;
    executable_ = (*backend)->compile(generate(make_program(energy_, plan, options)), {}).value();
    const auto bound = executable_->bind(
        test::bind_springs(energy_, {.vertices = 20, .edges = edges, .width = 7, .height = 5}));
    ASSERT_TRUE(bound) << bound.error().message();
  }

  std::vector<StepInfo> all_steps() const {
    std::vector<StepInfo> infos;
    for (const auto& [phase, steps] : executable_->program().phases) {
      for (StepInfo& info : executable_->steps(phase)) infos.push_back(std::move(info));
    }
    return infos;
  }
  const StepInfo& find(const std::vector<StepInfo>& infos, const std::string& label) const {
    for (const StepInfo& info : infos) {
      if (info.label == label) return info;
    }
    throw InternalError("no step '" + label + "'", __FILE__, __LINE__);
  }

  Energy energy_ = test::springs();
  std::unique_ptr<Executable> executable_;
};

TEST_P(Steps, AreThoseOfTheProgramInItsOrder) {
  bind(default_plan(energy_), Damped);
  if (IsSkipped()) return;
  const KernelProgram& program = executable_->program();
  for (const auto& [phase, steps] : program.phases) {
    const std::vector<StepInfo> infos = executable_->steps(phase);
    ASSERT_EQ(infos.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(infos[i].phase, phase);
      EXPECT_TRUE(infos[i].is_launched) << infos[i].label;
      if (const auto* kernel = std::get_if<LaunchKernel>(&steps[i])) {
        const CompiledKernel& compiled = executable_->kernels()[kernel->kernel];
        EXPECT_EQ(infos[i].kind, StepKind::Kernel);
        EXPECT_EQ(infos[i].label, compiled.label);
        EXPECT_EQ(infos[i].key, compiled.key);
        EXPECT_EQ(infos[i].key.empty(), GetParam() == "interpreter");
        EXPECT_GT(infos[i].points, 0);
      } else {
        const auto& clear = std::get<ClearBuffer>(steps[i]);
        EXPECT_EQ(infos[i].kind, StepKind::Clear);
        EXPECT_EQ(infos[i].label, "clear " + program.buffers[clear.buffer].name);
        EXPECT_EQ(infos[i].bytes,
                  static_cast<std::int64_t>(executable_->read_buffer(clear.buffer).size() *
                                            size_of(executable_->buffer_type(clear.buffer))));
      }
    }
  }
  EXPECT_TRUE(executable_->steps(Phase::DirectSolve).empty());
}

TEST_P(Steps, SayWhichMatrixALibraryMultiplies) {
  Plan plan = default_plan(energy_);
  plan.parts[0].strategy = Strategy::StoredJ;
  plan.parts[0].j_format = StorageFormat::Csr;
  plan.parts[2].strategy = Strategy::StoredJtJ;
  plan.parts[2].jtj_format = StorageFormat::Dense;
  bind(plan, Damped);
  if (IsSkipped()) return;
  const std::vector<StepInfo> infos = all_steps();
  const std::int64_t unknowns = executable_->sizes().num_unknowns();
  ASSERT_EQ(unknowns, 2 * 20 + 7 * 5 + 1);

  const StepInfo& spmv = find(infos, "spmv transposed J.spring");
  EXPECT_EQ(spmv.kind, StepKind::Product);
  ASSERT_TRUE(spmv.matrix);
  EXPECT_EQ(spmv.matrix->kind, MatrixKind::Csr);
  EXPECT_TRUE(spmv.matrix->is_transposed);
  EXPECT_EQ(spmv.matrix->type,
            GetParam() == "interpreter" ? ScalarType::Double : ScalarType::Float);
  EXPECT_EQ(spmv.matrix->shape.rows, 2 * 40);
  EXPECT_EQ(spmv.matrix->shape.cols, unknowns);
  EXPECT_GE(spmv.matrix->shape.entries, 2 * 40 * 2);
  EXPECT_FALSE(find(infos, "spmv J.spring").matrix->is_transposed);

  const StepInfo& symv = find(infos, "symv JtJ");
  ASSERT_TRUE(symv.matrix);
  EXPECT_EQ(symv.matrix->kind, MatrixKind::Symmetric);
  EXPECT_EQ(symv.matrix->shape.entries, unknowns * unknowns);
}

TEST_P(Steps, SayHowLargeADenseSolveIsAndWhatIsNotLaunched) {
  bind(default_plan(energy_), {SolverKind::GaussNewton, jacobi_preconditioner(), dense_solver()});
  if (IsSkipped()) return;
  const std::vector<StepInfo> infos = executable_->steps(Phase::DirectSolve);
  const StepInfo& solve = find(infos, "dense solve");
  EXPECT_EQ(solve.kind, StepKind::DirectSolve);
  ASSERT_TRUE(solve.matrix);
  EXPECT_EQ(solve.matrix->shape.rows, executable_->sizes().num_unknowns());
  bind(default_plan(energy_), Damped, 0);
  if (IsSkipped()) return;
  for (const StepInfo& info : executable_->steps(Phase::Apply)) {
    const bool is_of_edges = info.label.find("spring") != std::string::npos;
    EXPECT_EQ(info.is_launched, !is_of_edges) << info.label;
    EXPECT_EQ(info.points == 0, is_of_edges) << info.label;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Steps, testing::Values("interpreter", "cpu", "cuda"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace thallo
