#pragma once

// A program on a CUDA device: its kernels (kernel_variants.h), the data of the bound instance
// (instance_data.h), and what is launched. bind() allocates and uploads; everything after it is
// enqueued on one stream, and the host waits only where results are read.
//
// run_batch() launches CUDA graphs (sequence_graphs.h): the phases before the linear loop are one
// of them, and the loop, a WHILE node, is one with the phases behind it. run_linear_loop() launches
// the loop alone. If the driver has no such nodes or refuses the loop, and with THALLO_CUDA_GRAPH=0
// or THALLO_CUDA_SYNC=1, there are no graphs: batches are single phases, and a host loop reads
// state.Stop every few iterations. timing() counts the whole loop as Phase::Apply, a graph as one
// launch.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/batch_marks.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/instance_data.h"
#include "core/backend/cuda/kernel_variants.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/libraries.h"
#include "core/backend/cuda/sequence_graphs.h"
#include "core/backend/cuda/timing.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"

namespace thallo::cuda {

class CudaExecutable final : public Executable {
 public:
  static Expected<std::unique_ptr<Executable>> compile(std::shared_ptr<const Device> device,
                                                       GeneratedProgram program,
                                                       const CompileOptions& options);
  ~CudaExecutable() override;

  Expected<void> upload(const Binding& binding, FieldId field) override;
  void download_unknowns(Binding& binding) override;

  void run(Phase phase) override;
  void run_linear_loop(const LinearLoop& loop) override;
  void run_batch(const Batch& batch, std::span<SolverState> states,
                 std::span<const std::size_t> which) override;

  std::optional<int> iterate_members(const MemberIterations& asked,
                                     std::span<SolverState> states) override;

  void read_states(std::span<SolverState> states, std::span<const std::size_t> which) override;
  void write_states(std::span<const SolverState> states,
                    std::span<const std::size_t> which) override;
  std::vector<double> read_buffer(std::size_t buffer) override {
    return bound_data().read_buffer(buffer);
  }
  void write_buffer(std::size_t buffer, const std::vector<double>& values) override {
    bound_data().write_buffer(buffer, values);
  }

  void synchronize() override;
  std::int64_t bytes_moved() const override { return data_.bytes_moved(); }
  std::vector<PhaseTiming> timing() const override;
  void reset_timing() override;
  const std::vector<CompiledKernel>& kernels() const override { return kernels_.records(); }
  const GeneratedProgram& generated() const override { return generated_; }
  const ProgramSizes& sizes() const override;
  ScalarType buffer_type(std::size_t buffer) const override;
  Expected<std::unique_ptr<StepBench>> make_step_bench() override;

 private:
  using Steps = std::vector<BoundStep>;

  CudaExecutable(std::shared_ptr<const Device> device, GeneratedProgram program,
                 const CompileOptions& options);
  Expected<void> bind_valid(const Binding& binding) override;
  Expected<void> bind_tables(const Binding& binding);
  Expected<void> resize(ProgramSizes sizes, const Binding& binding);
  Expected<void> bind_steps();
  void forget_memory();
  // The storage of the bound instance, which must be there; makes the device the current one.
  Storage& bound() const;
  InstanceData& bound_data() {
    bound();
    return data_;
  }

  const Steps& bound_steps(Phase phase) const;
  LoopShape loop_shape(const LinearLoop& loop) const;
  GraphSteps steps_of(const Sequence& sequence) const;
  int enqueue(Phase phase);
  void enqueue(const Sequence& sequence);
  int run_host_loop(const LinearLoop& loop);
  void wait_for_loop(const std::function<bool()>& is_interrupted);
  void wait_for_batch(const std::function<bool()>& is_interrupted);
  void count_times(const Batch& batch);

  std::shared_ptr<const Device> device_;
  GeneratedProgram generated_;
  CompileOptions options_;
  KernelVariants kernels_;

  Stream stream_;
  Stream interrupt_stream_;                      // writes to the state while a loop runs on stream_
  std::function<bool()> is_interrupted_;         // of the running graph; empty if none runs
  std::unique_ptr<PinnedBuffer> pinned_states_;  // of the bound instance
  std::unique_ptr<BatchMarks> marks_;
  DeviceBuffer arrivals_;
  DeviceBuffer block_sums_;
  InstanceData data_;
  std::unique_ptr<HostSolve> host_solve_;  // null if the program has none
  std::unique_ptr<Libraries> libraries_;   // null if the program needs none
  std::map<Phase, Steps> steps_;           // the steps that are launched (core/backend/step_info.h)
  SequenceGraphs graphs_;                  // of steps_
  mutable PhaseTimer timer_;
};

}  // namespace thallo::cuda
