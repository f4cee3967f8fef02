#include "core/backend/cuda/step_bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/sources.h"

namespace thallo::cuda {
namespace {

constexpr int MaxRuns = 2000;   // per batch
constexpr int PilotRuns = 4;    // in the batch that finds the time of a run
constexpr int L2Multiples = 3;  // bytes read to evict, in multiples of the L2 cache
constexpr unsigned int BlockSize = 256;
constexpr std::size_t ReadBytes = 16;  // read by read_through()

// Returns a launch of a kernel of kernels/step_bench.cu, which takes three words:
//   copy_words(from, to, count)       copies 8-byte words with one block
//   read_through(data, sink, count)   reads float4 records; `data` are not negative and `sink` is
//                                     never written
BoundStep helper(const Module& module, const char* name, unsigned int num_blocks, CUdeviceptr from,
                 CUdeviceptr to, std::size_t count) {
  return BoundLaunch{.function = module.function(name),
                     .num_blocks = num_blocks,
                     .block_size = BlockSize,
                     .words = {from, to, count},
                     .has_loop_condition = false,
                     .label = name};
}

void copy(const Stream& stream, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  if (bytes > 0) THALLO_CUDA(cuMemcpyDtoDAsync_v2(to, from, bytes, stream.get()));
}

}  // namespace

Expected<std::unique_ptr<RepeatedSteps>> RepeatedSteps::make(const Device& device,
                                                             const Stream& stream,
                                                             std::vector<const BoundStep*> steps,
                                                             int n) {
  std::unique_ptr<RepeatedSteps> repeated(new RepeatedSteps(stream, std::move(steps), n));
  const bool solves = std::ranges::any_of(
      repeated->steps_, [](const BoundStep* step) { return is_host_solve(*step); });
  if (solves) return repeated;
  if (auto built = repeated->build_graph(device); !built) return fail(built.error());
  return repeated;
}

Expected<void> RepeatedSteps::build_graph(const Device& device) {
  THALLO_TRY(const auto captured, capture_libraries(stream_, std::array{&std::as_const(steps_)}));
  graph_.emplace();
  GraphChain chain(device, graph_->get(), loop_edges(device));
  chain.use(captured);
  for (int i = 0; i < n_; ++i) {
    for (const BoundStep* step : steps_) chain.add(*step);
  }
  if (auto built = chain.result(); !built) return built;
  return graph_->instantiate(stream_);
}

void RepeatedSteps::enqueue() const {
  if (graph_) return graph_->launch(stream_, "steps");
  for (int i = 0; i < n_; ++i) {
    for (const BoundStep* step : steps_) cuda::enqueue(stream_, *step);
  }
}

Expected<std::unique_ptr<StepBench>> CudaStepBench::make(const Device& device, const Stream& stream,
                                                         const Storage& storage, CUdeviceptr state,
                                                         FindStep find) {
  THALLO_TRY(auto module, compile_and_load(own_source("step_bench"), device));
  std::unique_ptr<CudaStepBench> bench(
      new CudaStepBench(device, stream, storage, state, std::move(find), std::move(module)));
  if (auto done = bench->allocate(); !done) return fail(done.error());
  return bench;
}

CudaStepBench::CudaStepBench(const Device& device, const Stream& stream, const Storage& storage,
                             CUdeviceptr state, FindStep find, Module module)
    : device_(device),
      stream_(stream),
      storage_(storage),
      state_(state),
      find_(std::move(find)),
      module_(std::move(module)) {
  THALLO_CUDA(cuEventCreate(&begin_, CU_EVENT_DEFAULT));
  THALLO_CUDA(cuEventCreate(&end_, CU_EVENT_DEFAULT));
}

CudaStepBench::~CudaStepBench() {
  driver().cuStreamSynchronize(stream_.get());  // the members must not be in use
  driver().cuEventDestroy_v2(begin_);
  driver().cuEventDestroy_v2(end_);
}

Expected<void> CudaStepBench::allocate() {
  pieces_ = storage_.changing();
  copies_.resize(pieces_.size());
  THALLO_TRY(start_state_,
             DeviceBuffer::allocate(sizeof(SolverState), "a copy of the solver state"));
  THALLO_TRY(other_data_, DeviceBuffer::allocate(L2Multiples * device_.l2_bytes(),
                                                 "data that fill the L2 cache"));
  clear(stream_.get(), other_data_.pointer(), other_data_.bytes());

  restore_state_ = helper(module_, "copy_words", 1, start_state_.pointer(), state_,
                          std::tuple_size_v<SolverState>);
  const auto num_blocks = static_cast<unsigned int>(device_.info().num_units) * 8;
  read_other_data_ = helper(module_, "read_through", num_blocks, other_data_.pointer(),
                            other_data_.pointer(), other_data_.bytes() / ReadBytes);
  return {};
}

Expected<void> CudaStepBench::keep(const StepMemory& memory) {
  restore();
  for (const std::size_t piece : memory.changed) {
    const Storage::Piece& from = pieces_[piece];
    if (copies_[piece].bytes() == from.bytes) continue;
    const auto make = [&] {
      return DeviceBuffer::allocate(from.bytes, "a copy of what a step changes");
    };
    auto memory_of_copy = make();
    if (!memory_of_copy) {
      drop_copies_beside(memory);
      memory_of_copy = make();
    }
    if (!memory_of_copy) return fail(memory_of_copy.error());
    copy(stream_, memory_of_copy->pointer(), from.pointer, from.bytes);
    copies_[piece] = std::move(*memory_of_copy);
  }
  return {};
}

void CudaStepBench::drop_copies_beside(const StepMemory& memory) {
  stream_.synchronize();
  for (std::size_t piece = 0; piece < copies_.size(); ++piece)
    if (!memory.changed.contains(piece)) copies_[piece] = {};
}

void CudaStepBench::restore() {
  device_.make_current();
  for (const std::size_t piece : changed_)
    copy(stream_, pieces_[piece].pointer, copies_[piece].pointer(), pieces_[piece].bytes);
  changed_.clear();
}

void CudaStepBench::write_start_state() {
  copy(stream_, state_, start_state_.pointer(), start_state_.bytes());
}

Expected<void> CudaStepBench::make_batch(int num_runs) {
  runs_.reset();
  between_runs_.reset();
  num_runs_ = num_runs;
  std::vector<const BoundStep*> steps;
  if (trial_.caches == CacheUse::Evicted) steps.push_back(&read_other_data_);
  if (trial_.restores_state) steps.push_back(&restore_state_);
  if (!steps.empty()) {
    THALLO_TRY(between_runs_, RepeatedSteps::make(device_, stream_, steps, num_runs));
  }
  steps.push_back(step_);
  THALLO_TRY(runs_, RepeatedSteps::make(device_, stream_, std::move(steps), num_runs));
  return {};
}

Expected<void> CudaStepBench::prepare(const StepTrial& trial, double seconds) {
  restore();
  trial_ = trial;
  step_ = &find_(trial.phase, trial.step);
  upload_bytes(stream_.get(), start_state_.pointer(), std::as_bytes(std::span(trial.start)));
  if (auto made = make_batch(PilotRuns); !made) return made;
  time_batch();  // the first launch of a kernel may load it
  begin_runs();
  const double once = time(*runs_) / PilotRuns;
  return make_batch(static_cast<int>(std::clamp(std::ceil(seconds / once), 1.0, double{MaxRuns})));
}

void CudaStepBench::begin_runs() {
  restore();
  changed_ = trial_.memory.changed;
  write_start_state();
}

double CudaStepBench::time_batch() {
  device_.make_current();
  const double between = between_runs_ == nullptr ? 0 : time(*between_runs_);
  begin_runs();
  if (trial_.caches == CacheUse::Hot) {
    enqueue(stream_, *step_);  // the caches hold what the copying has left
    write_start_state();
  }
  return (time(*runs_) - between) / num_runs_;
}

double CudaStepBench::time(const RepeatedSteps& steps) {
  THALLO_CUDA(cuEventRecord(begin_, stream_.get()));
  steps.enqueue();
  THALLO_CUDA(cuEventRecord(end_, stream_.get()));
  THALLO_CUDA(cuEventSynchronize(end_));
  float milliseconds = 0;
  THALLO_CUDA(cuEventElapsedTime(&milliseconds, begin_, end_));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace thallo::cuda
