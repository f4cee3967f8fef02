// Executables without a program, so that the solver's logic is tested against known answers alone.
//
//   ScriptedExecutable  every step is told beforehand: the cost it reaches and the decrease that
//                       the model promised. For the decisions: accept, reject, radius, stopping.
//   DenseExecutable     a residual function and its Jacobian, the phases by Eigen in double. For
//                       whole solves, and as the reference of the same energies on real backends.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/step_timing.h"
#include "core/kernel/generate.h"
#include "core/kernel/program.h"
#include "core/kernel/state.h"
#include "core/linear/linear_solver.h"

namespace thallo::test {

// What both have in common: the state, the log of phases, nothing to bind.
class FakeExecutable : public Executable {
 public:
  FakeExecutable() {
    generated_.program.name = "fake";
    for (const SolverVector v : {SolverVector::B, SolverVector::R})
      generated_.program.vectors[v] = 0;
  }

  Expected<void> upload(const Binding&, FieldId) override { return {}; }
  void download_unknowns(Binding&) override {}
  void read_states(std::span<SolverState> states, std::span<const std::size_t>) override {
    states.front() = state_;
  }
  void write_states(std::span<const SolverState> states, std::span<const std::size_t>) override {
    state_ = states.front();
  }
  std::vector<double> read_buffer(std::size_t) override { return {}; }
  void write_buffer(std::size_t, const std::vector<double>&) override {}
  std::vector<PhaseTiming> timing() const override;
  void reset_timing() override { phases_.clear(); }
  const std::vector<CompiledKernel>& kernels() const override { return kernels_; }
  const GeneratedProgram& generated() const override { return generated_; }
  const ProgramSizes& sizes() const override { return sizes_; }
  ScalarType buffer_type(std::size_t) const override { return ScalarType::Double; }
  Expected<std::unique_ptr<StepBench>> make_step_bench() override { return fail("no steps"); }

  // Makes its program one whose linear solver takes a matrix; with a linear loop, too, or without.
  void make_direct(bool has_linear_loop = false) {
    generated_.program.phases[Phase::DirectSolve] = {SolveDirect{.solver = dense_solver()}};
    if (has_linear_loop) generated_.program.phases[Phase::Update] = {LaunchKernel{}};
  }

  // Phases since reset_timing(), in order; the linear loop is one Phase::Apply.
  const std::vector<Phase>& phases() const { return phases_; }
  int num_runs(Phase phase) const;

 protected:
  void log(Phase phase) { phases_.push_back(phase); }
  double& slot(StateSlot slot) { return at(state_, slot); }

  SolverState state_{};

 private:
  Expected<void> bind_valid(const Binding&) override { return {}; }

  GeneratedProgram generated_;
  ProgramSizes sizes_;
  std::vector<CompiledKernel> kernels_;
  std::vector<Phase> phases_;
};

// Tests write {trial cost, model decrease}.
struct ScriptedStep {
  double trial_cost = 0;
  double model_decrease = 1;
  double damped_norm2 = 0;
  double step_norm = 1;
  double gradient_max =
      1;  // of the linearization this step starts from, whose columns have length 1
  int linear_iterations = std::numeric_limits<int>::max();  // that the loop wants
};

class ScriptedExecutable : public FakeExecutable {
 public:
  ScriptedExecutable(double initial_cost, std::vector<ScriptedStep> steps)
      : initial_cost_(initial_cost), steps_(std::move(steps)) {}

  double x_norm = 1;
  std::function<void()> on_step;  // called in every Retract

  void run(Phase phase) override;
  void run_linear_loop(const LinearLoop& loop) override;

  // Sets the cost at X that the next Phase::Cost finds.
  void set_cost(double cost) { initial_cost_ = cost; }
  // The radius that each Damp saw.
  const std::vector<double>& radii() const { return radii_; }

 private:
  double initial_cost_;
  std::vector<ScriptedStep> steps_;
  std::size_t step_ = 0;
  std::vector<double> radii_;
};

class DenseExecutable : public FakeExecutable {
 public:
  struct Evaluation {
    std::vector<double> f;
    std::vector<double> j;  // row-major, a row a residual
  };
  // F and J at x.
  using Residuals = std::function<Evaluation(const std::vector<double>& x)>;

  // `free` is 0 where an unknown is excluded and 1 elsewhere; empty: nothing is excluded.
  DenseExecutable(Residuals residuals, const std::vector<double>& start, bool jacobi = true,
                  const std::vector<double>& free = {});
  ~DenseExecutable() override;
  DenseExecutable(DenseExecutable&&) noexcept;

  void run(Phase phase) override;
  void run_linear_loop(const LinearLoop& loop) override;

  std::vector<double> x() const;
  std::vector<double> damping() const;

 private:
  struct Vectors;

  void linearize();
  double length();
  void damp();
  void solve_densely();
  void retract();

  Residuals residuals_;
  bool jacobi_;
  std::unique_ptr<Vectors> v_;
};

}  // namespace thallo::test
