#pragma once

// A program on a CUDA device. Kernels are compiled once, for 32-bit indices; a variant for 64-bit
// indices is compiled on the first bind that needs it. bind() allocates and uploads; everything
// after it is enqueued on one stream, and the host waits only where results are read.
//
// An array that is on the device already is used in its place (Storage::can_use), or copied there
// if kernels cannot read it so.
//
// run_batch() launches CUDA graphs (sequence.h): the phases before the linear loop are one of them
// once they were enqueued a few times, and the loop, a WHILE node, is one with the phases behind
// it.
// run_linear_loop() launches the loop alone. If the driver has no such nodes or refuses the loop (a
// warning is logged once), and with THALLO_CUDA_GRAPH=0 or THALLO_CUDA_SYNC=1, there are no graphs:
// batches are single phases, and a host loop reads state.Stop every few iterations. timing() counts
// the whole loop as Phase::Apply, a graph as one launch.
//
// THALLO_CUDA_INDEX_BITS=64 selects the variant with 64-bit indices for all sizes.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/array_kernels.h"
#include "core/backend/cuda/batch_marks.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/dense.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/libraries.h"
#include "core/backend/cuda/multigrid.h"
#include "core/backend/cuda/sequence.h"
#include "core/backend/cuda/step_graph.h"
#include "core/backend/cuda/storage.h"
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
  SolverState run_batch(const Batch& batch, const SolverState& state) override;

  SolverState read_state() override;
  void write_state(const SolverState& state) override;
  std::vector<double> read_buffer(std::size_t buffer) override;
  void write_buffer(std::size_t buffer, const std::vector<double>& values) override;

  void synchronize() override;
  std::int64_t bytes_moved() const override { return bytes_moved_; }
  std::vector<PhaseTiming> timing() const override;
  void reset_timing() override;
  const std::vector<CompiledKernel>& kernels() const override { return variant().records; }
  const GeneratedProgram& generated() const override { return generated_; }
  const ProgramSizes& sizes() const override;
  ScalarType buffer_type(std::size_t buffer) const override;
  Expected<std::unique_ptr<StepBench>> make_step_bench() override;

 private:
  // All kernels, compiled for one index width.
  struct Variant {
    std::vector<Module> modules;
    std::vector<LoadedKernel> kernels;  // in the order of program.kernels
    std::vector<CompiledKernel> records;
  };
  using Steps = std::vector<BoundStep>;
  struct CachedGraph {
    int num_uses = 0;                  // without a graph
    std::unique_ptr<StepGraph> graph;  // null if there is none yet, or none can be
  };

  CudaExecutable(std::shared_ptr<const Device> device, GeneratedProgram program,
                 const CompileOptions& options);
  Expected<void> bind_valid(const Binding& binding) override;
  Expected<void> compile_variant(int index_bits);
  const Variant& variant() const { return variants_.at(index_bits_); }

  bool has_tables_of(const Binding& binding) const;
  Expected<void> bind_tables(const Binding& binding);
  Expected<void> resize(ProgramSizes sizes, const Binding& binding);
  Expected<void> upload_field(const Binding& binding, FieldId field);
  Expected<void> copy_field(const DeviceArray& array, FieldId field);
  bool shares_memory_with_unknowns(const Binding& binding, const DeviceArray& array) const;
  void forget_memory();
  Expected<void> bind_libraries();
  void bind_steps();
  const Steps& bound_steps(Phase phase) const;
  const BoundStep& bound_step(Phase phase, std::size_t step) const;
  int enqueue(Phase phase);
  void enqueue(const Sequence& sequence);
  LoopShape loop_shape(const LinearLoop& loop) const;
  GraphSteps steps_of(const Sequence& sequence) const;
  StepGraph* find_graph(const Sequence& sequence);
  void update_graphs();
  void drop_graphs();
  int run_host_loop(const LinearLoop& loop);
  bool stopped();
  void wait_for_loop(const std::function<bool()>& is_interrupted);
  void wait_for_batch(const std::function<bool()>& is_interrupted);
  void count_times(const Batch& batch);

  std::shared_ptr<const Device> device_;
  GeneratedProgram generated_;
  CompileOptions options_;
  std::map<int, Variant> variants_;
  int index_bits_ = 32;

  Stream stream_;
  Stream interrupt_stream_;               // writes to the state while a loop runs on stream_
  std::function<bool()> is_interrupted_;  // of the running graph; empty if none runs
  PinnedBuffer pinned_state_;
  std::unique_ptr<BatchMarks> marks_;
  std::unique_ptr<DenseSolver> dense_;           // null if the program has no dense solve
  std::unique_ptr<MultigridKernels> multigrid_;  // null if the program has no multigrid
  std::unique_ptr<HostSolve> host_solve_;        // null if the program has none
  DeviceBuffer arrivals_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<Libraries> libraries_;  // null if the program needs none
  std::vector<double> params_;            // by FieldId
  // What the tables in the storage were made for.
  std::vector<std::int64_t> bound_extents_;
  std::vector<Binding::MapValues> bound_maps_;
  std::unique_ptr<const ArrayKernels> array_kernels_;  // null until an array is copied
  std::int64_t bytes_moved_ = 0;
  std::map<Phase, Steps> steps_;  // the steps that are launched (core/backend/step_info.h)
  std::map<Sequence, CachedGraph> graphs_;  // of steps_
  bool use_graphs_ = true;
  mutable PhaseTimer timer_;
};

}  // namespace thallo::cuda
