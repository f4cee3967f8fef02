// The batches and graphs of a CudaExecutable: what is launched at once, and how the host waits.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/executable.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

constexpr std::array IterationPhases = {Phase::Direction, Phase::Apply, Phase::Update};
constexpr std::array ResetPhases = {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate};

// Every batch of a solver has few sequences; others are of loops that were measured.
constexpr std::size_t MaxGraphs = 24;
// Making a graph of phases takes longer than launching them a few times.
constexpr int UsesWithoutGraph = 4;

// A pass of the loop costs little beside an iteration with multigrid, of which few are made; nodes
// that are never run cost time when the graph is made.
constexpr int MultigridIterationsOfBody = 4;

// A host loop waits for the device once in this many iterations.
constexpr int StopCheckPeriod = 8;
// The host looks for the end of a batch by itself for ShortWait; then it asks the driver, which
// knows of faults. If a loop runs longer than LongWait, the wait checks every PollPeriod whether it
// is interrupted.
constexpr auto ShortWait = std::chrono::milliseconds(1);
constexpr auto LongWait = std::chrono::milliseconds(50);
constexpr auto PollPeriod = std::chrono::microseconds(500);

using Clock = std::chrono::steady_clock;

bool has_host_solve(const GraphSteps& steps) {
  return std::ranges::any_of(steps.after,
                             [](const BoundStep* step) { return is_host_solve(*step); });
}

}  // namespace

void CudaExecutable::run_linear_loop(const LinearLoop& loop) {
  THALLO_ASSERT(storage_ != nullptr, "run before bind");
  if (loop.max_iterations <= 0) return;
  device_->make_current();
  StepGraph* graph = find_graph({.loop = loop_shape(loop)});
  timer_.begin(stream_.get(), Phase::Apply);
  int num_launches = 1;
  if (graph != nullptr) {
    graph->launch(stream_);
    is_interrupted_ = loop.is_interrupted;
  } else {
    num_launches = run_host_loop(loop);
  }
  timer_.end(stream_.get(), num_launches);
}

SolverState CudaExecutable::run_batch(const Batch& batch, const SolverState& state) {
  THALLO_ASSERT(storage_ != nullptr, "run before bind");
  device_->make_current();
  std::optional<LoopShape> loop;
  if (batch.loop && batch.loop->max_iterations > 0) loop = loop_shape(*batch.loop);
  const std::vector<Sequence> sequences = sequences_of(batch, loop, host_solve_ != nullptr);
  // A driver that refuses the loop does so before anything is launched.
  for (const Sequence& sequence : sequences)
    if (sequence.loop) find_graph(sequence);
  if (!use_graphs_) return Executable::run_batch(batch, state);
  marks_->start(state);
  for (const Sequence& sequence : sequences) enqueue(sequence);
  wait_for_batch(loop ? batch.loop->is_interrupted : std::function<bool()>());
  count_times(batch);
  return marks_->state();
}

void CudaExecutable::enqueue(const Sequence& sequence) {
  if (const StepGraph* graph = find_graph(sequence); graph != nullptr) {
    graph->launch(stream_);
    return;
  }
  THALLO_ASSERT(!sequence.loop, "a loop without a graph");
  const GraphSteps steps = steps_of(sequence);
  for (const auto* list : {&steps.before, &steps.after}) {
    for (const BoundStep* step : *list) cuda::enqueue(stream_, *step);
  }
}

LoopShape CudaExecutable::loop_shape(const LinearLoop& loop) const {
  const auto num_steps = [this](std::span<const Phase> phases) {
    std::size_t count = 0;
    for (const Phase phase : phases) count += bound_steps(phase).size();
    return static_cast<int>(count);
  };
  LinearLoop usual = loop;
  if (multigrid_ != nullptr)
    usual.max_iterations = std::min(usual.max_iterations, MultigridIterationsOfBody);
  return choose_loop_shape(usual, num_steps(IterationPhases), num_steps(ResetPhases));
}

// Adds no mark behind the last phase of a batch, which ends with the batch.
GraphSteps CudaExecutable::steps_of(const Sequence& sequence) const {
  GraphSteps result;
  const auto append = [this](std::vector<const BoundStep*>& list, Phase phase) {
    for (const BoundStep& step : bound_steps(phase)) list.push_back(&step);
  };
  const auto mark = [&](Phase phase, bool is_last) {
    if (sequence.is_in_batch && !(is_last && sequence.ends_batch))
      result.after.push_back(&marks_->after(phase));
  };
  if (sequence.begins_batch) result.before.push_back(&marks_->begin());
  if (sequence.loop) {
    for (const Phase phase : IterationPhases) append(result.iteration, phase);
    if (sequence.loop->reset_every > 0) {
      for (const Phase phase : ResetPhases) append(result.reset, phase);
    }
    mark(Phase::Apply, sequence.phases.empty());
  }
  for (const Phase& phase : sequence.phases) {
    if (bound_steps(phase).empty()) continue;
    append(result.after, phase);
    mark(phase, &phase == &sequence.phases.back());
  }
  if (sequence.ends_batch) result.after.push_back(&marks_->end());
  return result;
}

// Returns the graph for a sequence, building it if it is time to; null if its steps are enqueued
// one by one.
StepGraph* CudaExecutable::find_graph(const Sequence& sequence) {
  if (!use_graphs_) return nullptr;
  auto found = graphs_.find(sequence);
  if (found == graphs_.end()) {
    if (graphs_.size() >= MaxGraphs) drop_graphs();
    found = graphs_.try_emplace(sequence).first;
  }
  CachedGraph& cached = found->second;
  if (cached.graph != nullptr) return cached.graph.get();
  const bool is_time = sequence.loop || cached.num_uses == UsesWithoutGraph;
  ++cached.num_uses;
  if (!is_time) return nullptr;
  const GraphSteps steps = steps_of(sequence);
  if (has_host_solve(steps)) return nullptr;
  auto graph = StepGraph::build(*device_, stream_, steps, sequence.loop);
  if (graph) {
    cached.graph = std::move(*graph);
  } else if (sequence.loop) {
    logger("cuda").warn("the linear loop runs from the host: {}", graph.error().what);
    use_graphs_ = false;
  } else {
    logger("cuda").debug("phases are launched one by one: {}", graph.error().what);
  }
  return cached.graph.get();
}

void CudaExecutable::update_graphs() {
  for (auto& [sequence, cached] : graphs_) {
    if (cached.graph == nullptr) continue;
    const auto updated = cached.graph->update(steps_of(sequence));
    if (updated) continue;
    logger("cuda").debug("a graph is built anew: {}", updated.error().what);
    stream_.synchronize();  // it may be running
    cached = {};
  }
}

// Waits first, because a graph may be running.
void CudaExecutable::drop_graphs() {
  if (graphs_.empty()) return;
  stream_.synchronize();
  graphs_.clear();
}

int CudaExecutable::run_host_loop(const LinearLoop& loop) {
  int num_launches = 0;
  for (int i = 1; i <= loop.max_iterations; ++i) {
    for (const Phase phase : IterationPhases) num_launches += enqueue(phase);
    if (loop.reset_period > 0 && i % loop.reset_period == 0) {
      for (const Phase phase : ResetPhases) num_launches += enqueue(phase);
    }
    if (i % StopCheckPeriod != 0 || i == loop.max_iterations) continue;
    if (stopped() || (loop.is_interrupted && loop.is_interrupted())) break;
  }
  return num_launches;
}

bool CudaExecutable::stopped() {
  THALLO_CUDA(cuMemcpyDtoHAsync_v2(pinned_state_.data(), storage_->state_slot(StateSlot::Stop),
                                   sizeof(double), stream_.get()));
  stream_.synchronize();
  double stop = 0;
  std::memcpy(&stop, pinned_state_.data(), sizeof stop);
  return stop != 0;
}

// Waits for the stream if a loop runs that can be interrupted. After LongWait it also checks
// whether it is. If so, sets state.MaxLinearIterations to 0, which makes the current iteration the
// last one. (If Stop were set from here, some blocks of a kernel could see it and others not.)
void CudaExecutable::wait_for_loop(const std::function<bool()>& is_interrupted) {
  if (!is_interrupted) return;
  const auto start = Clock::now();
  for (;;) {
    const CUresult state = driver().cuStreamQuery(stream_.get());
    // synchronize() throws the error.
    if (state != CUDA_ERROR_NOT_READY) return stream_.synchronize();
    if (Clock::now() - start < LongWait) {
      std::this_thread::yield();
      continue;
    }
    if (is_interrupted()) {
      constexpr double none = 0;
      upload_bytes(interrupt_stream_.get(), storage_->state_slot(StateSlot::MaxLinearIterations),
                   std::as_bytes(std::span(&none, 1)));
      return stream_.synchronize();
    }
    std::this_thread::sleep_for(PollPeriod);
  }
}

void CudaExecutable::wait_for_batch(const std::function<bool()>& is_interrupted) {
  const auto start = Clock::now();
  while (!marks_->has_ended()) {
    if (Clock::now() - start < ShortWait) {
      std::this_thread::yield();
      continue;
    }
    wait_for_loop(is_interrupted);
    stream_.synchronize();
    THALLO_ASSERT(marks_->has_ended(), "a batch ended without its last mark");
  }
}

// Each phase took from the mark before it to the mark behind it.
void CudaExecutable::count_times(const Batch& batch) {
  double from = 0;
  const auto count = [&](Phase phase, std::int64_t num_launches) {
    const double until = marks_->seconds_after(phase);
    timer_.add(phase, num_launches, until - from);
    from = until;
  };
  const auto count_all = [&](const std::vector<Phase>& phases) {
    for (const Phase phase : phases) {
      std::int64_t num_launches = 0;
      for (const BoundStep& step : bound_steps(phase)) num_launches += cuda::num_launches(step);
      if (!bound_steps(phase).empty()) count(phase, num_launches);
    }
  };
  count_all(batch.before);
  if (batch.loop && batch.loop->max_iterations > 0) count(Phase::Apply, 1);
  count_all(batch.after);
}

}  // namespace thallo::cuda
