#pragma once

// The Executable of the backends that run on the host: memory, phases, timing, clears, library
// operations and direct solves. A derived class runs the kernels.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/host_memory.h"
#include "core/backend/multigrid.h"
#include "core/linear/direct_solve.h"

namespace thallo {

class HostExecutable : public Executable {
 public:
  HostExecutable(const HostExecutable&) = delete;
  HostExecutable& operator=(const HostExecutable&) = delete;

  Expected<void> upload(const Binding& binding, FieldId field) override;
  void download_unknowns(Binding& binding) override;
  void run(Phase phase) override;
  bool has_stopped() override;
  void read_states(std::span<SolverState> states, std::span<const std::size_t> which) override;
  void write_states(std::span<const SolverState> states,
                    std::span<const std::size_t> which) override;
  std::vector<double> read_buffer(std::size_t buffer) override;
  void write_buffer(std::size_t buffer, const std::vector<double>& values) override;
  std::vector<PhaseTiming> timing() const override;
  void reset_timing() override { timing_.clear(); }
  const std::vector<CompiledKernel>& kernels() const override { return records_; }
  const GeneratedProgram& generated() const override { return generated_; }
  const ProgramSizes& sizes() const override;
  ScalarType buffer_type(std::size_t buffer) const override { return memory_.buffer_type(buffer); }
  Expected<std::unique_ptr<StepBench>> make_step_bench() override;

 protected:
  HostExecutable(GeneratedProgram program, HostPrecision precision, const CompileOptions& options);

  // Called after memory was bound or a param changed: pointers, sizes and params may have changed.
  virtual Expected<void> prepare() { return {}; }
  // Runs a kernel. `step` is an element of program().phases whose gate is open.
  virtual void launch(const LaunchKernel& step) = 0;
  // Calls task(0) ... task(num_parts - 1), each once and in any order, also several at once.
  virtual void run_parts(int num_parts, const std::function<void(int)>& task) {
    for (int part = 0; part < num_parts; ++part) task(part);
  }

  const KernelCode& code(const LaunchKernel& step) const { return generated_.codes[step.kernel]; }
  const HostMemory& memory() const { return memory_; }
  // True if the states of all members in these ranges have stopped.
  bool has_stopped(std::span<const std::pair<std::int64_t, std::int64_t>> members) const;
  void count(Phase phase, std::int64_t num_launches, double seconds);
  void set_records(std::vector<CompiledKernel> records) { records_ = std::move(records); }

 private:
  Expected<void> bind_valid(const Binding& binding) override;
  // Runs a step; a kernel is run only if its gate is open. Returns the number of launches for
  // timing().
  int run_step(const Step& step);
  bool is_open(const std::optional<Gate>& gate) const;
  void solve(const SolveDirect& step);
  void run_multigrid(RunMultigrid::Pass pass);

  GeneratedProgram generated_;
  std::vector<CompiledKernel> records_;
  HostMemory memory_;
  // For the bound instance; made when they are needed first.
  std::unique_ptr<DirectSolve> direct_;
  std::unique_ptr<HostMultigrid> multigrid_;
  std::map<Phase, PhaseTiming> timing_;
};

// Returns the field whose memory stands for a field of the kernel in this launch.
FieldId rebound(const LaunchKernel& step, FieldId field);

}  // namespace thallo
