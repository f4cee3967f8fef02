#pragma once

// Times steps on the device. A batch is one CUDA graph between two events, a chain with the same
// edges as in the linear loop (graph_chain.h):
//
//   hot        step, step, ...                      one run: T / n
//   evicted    read, step, read, step, ...          one run: (T - T of read, read, ...) / n
//
// where `read` is a kernel that reads three times the size of the L2 cache. If the state must be
// restored, a kernel of one block does so before each step, and the chain of these kernels alone is
// timed and subtracted likewise. What is subtracted is timed again directly before every batch, so
// that changes of the clock rate cancel. Events around each single launch would be simpler, but
// they include the latency of a launch, which a chain hides and which exceeds the time of a small
// kernel.
//
// A direct solve is not a step of the linear loop and need not support capturing, so its batch is
// enqueued on the stream.

#include <cuda.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/graph.h"
#include "core/backend/cuda/graph_chain.h"
#include "core/backend/cuda/storage.h"
#include "core/backend/step_timing.h"

namespace thallo::cuda {

// A list of steps, run n times in a row. The steps must outlive it.
class RepeatedSteps {
 public:
  // Fails if the graph cannot be made.
  static Expected<std::unique_ptr<RepeatedSteps>> make(const Device& device, const Stream& stream,
                                                       std::vector<const BoundStep*> steps, int n);
  RepeatedSteps(const RepeatedSteps&) = delete;
  RepeatedSteps& operator=(const RepeatedSteps&) = delete;

  void enqueue() const;

 private:
  RepeatedSteps(const Stream& stream, std::vector<const BoundStep*> steps, int n)
      : stream_(stream), steps_(std::move(steps)), n_(n) {}
  Expected<void> build_graph(const Device& device);

  const Stream& stream_;
  std::vector<const BoundStep*> steps_;
  int n_;
  std::optional<Graph> graph_;  // if absent, the steps are enqueued one by one
};

class CudaStepBench final : public StepBench {
 public:
  // Returns the bound step of a phase; called only for steps that are launched.
  using FindStep = std::function<const BoundStep&(Phase, std::size_t)>;
  // Fails if the device is out of memory. All references must outlive the bench.
  static Expected<std::unique_ptr<StepBench>> make(const Device& device, const Stream& stream,
                                                   const Storage& storage, CUdeviceptr state,
                                                   FindStep find);
  ~CudaStepBench() override;

  Expected<void> keep(const StepMemory& memory) override;
  Expected<void> prepare(const StepTrial& trial, double seconds) override;
  double time_batch() override;
  void restore() override;

 private:
  CudaStepBench(const Device& device, const Stream& stream, const Storage& storage,
                CUdeviceptr state, FindStep find, Module module);
  // Frees copies that this step does not need if memory is short. The memory must equal the copy
  // when it is called.
  void drop_copies_beside(const StepMemory& memory);
  Expected<void> allocate();
  void write_start_state();
  // Restores the copies and sets the state of the trial.
  void begin_runs();
  double time(const RepeatedSteps& steps);
  Expected<void> make_batch(int num_runs);

  const Device& device_;
  const Stream& stream_;
  const Storage& storage_;
  CUdeviceptr state_;
  FindStep find_;
  Module module_;
  std::vector<Storage::Piece> pieces_;  // storage_.changing()
  std::vector<DeviceBuffer> copies_;    // of pieces that some step changes, others are empty
  std::set<std::size_t> changed_;       // pieces changed since the copies were restored
  DeviceBuffer start_state_, other_data_;
  BoundStep restore_state_, read_other_data_;
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;

  StepTrial trial_;
  const BoundStep* step_ = nullptr;
  int num_runs_ = 0;
  std::unique_ptr<RepeatedSteps> runs_;
  std::unique_ptr<RepeatedSteps> between_runs_;  // what is subtracted; null if nothing is
};

}  // namespace thallo::cuda
