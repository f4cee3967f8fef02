#include "core/export/runtime/cuda_program.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/kernel/bind/magic.h"

namespace thallo {
namespace {

// Iterations that the GPU runs before the host looks whether the linear solve has ended, if no
// residual reset comes earlier.
constexpr int MostIterations = 10;
constexpr int WholeBlock = -1;

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaDeviceGetAttribute(&value, which, device), "an attribute of the device");
  return value;
}

}  // namespace

class CudaProgram::Device {
 public:
  Device() : num_multiprocessors(attribute(cudaDevAttrMultiProcessorCount)) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    check(cudaMallocHost(reinterpret_cast<void**>(&stopped), 2 * sizeof(double)), "host memory");
    for (cudaEvent_t& event : looked)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
  }
  ~Device() {
    cudaStreamSynchronize(stream);
    forget_loop();
    for (const auto& [memory, size] : allocated) cudaFree(memory);
    for (cudaEvent_t& event : looked) cudaEventDestroy(event);
    cudaFreeHost(stopped);
    cudaStreamDestroy(stream);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void forget_loop() {
    if (loop != nullptr) cudaGraphExecDestroy(std::exchange(loop, nullptr));
  }
  void synchronize() const { check(cudaStreamSynchronize(stream), "the GPU"); }

  void enqueue(const Step& step) const {
    if (step.kernel == nullptr) {
      if (step.bytes > 0) check(cudaMemsetAsync(step.memory, 0, step.bytes, stream), "a clear");
    } else if (step.num_blocks > 0) {
      void* arguments[] = {const_cast<std::uint64_t*>(step.words.data())};
      check(cudaLaunchKernel(step.kernel, dim3(step.num_blocks), dim3(step.block_size), arguments,
                             0, stream),
            "a launch");
    }
  }

  int num_multiprocessors;
  cudaStream_t stream = nullptr;
  std::vector<std::pair<void*, std::size_t>> allocated;
  std::size_t num_used = 0;
  cudaGraphExec_t loop = nullptr;  // of some linear iterations
  int iterations_of_loop = 0;
  bool loop_resets = false;
  double* stopped = nullptr;  // page-locked: state.Stop after the last two looks
  cudaEvent_t looked[2] = {};
};

CudaProgram::CudaProgram(int /*num_threads*/) : device_(std::make_unique<Device>()) {}
CudaProgram::~CudaProgram() = default;

void CudaProgram::begin() {
  device_->synchronize();
  device_->forget_loop();
  device_->num_used = 0;
  copied_back_.clear();
  for (auto& steps : phases_) steps.clear();
  arrivals_ = allocate<std::uint32_t>(1);
}

void* CudaProgram::bytes(std::size_t count) {
  if (device_->num_used == device_->allocated.size()) device_->allocated.emplace_back(nullptr, 0);
  auto& [memory, size] = device_->allocated[device_->num_used++];
  if (memory == nullptr || size != count) {
    cudaFree(std::exchange(memory, nullptr));
    check(cudaMalloc(&memory, std::max<std::size_t>(count, 1)), "memory of the GPU");
    size = count;
  }
  if (count > 0) check(cudaMemsetAsync(memory, 0, count, device_->stream), "a clear");
  return memory;
}

const void* CudaProgram::on_device(const void* array, std::size_t count) {
  cudaPointerAttributes attributes{};
  const bool is_known = cudaPointerGetAttributes(&attributes, array) == cudaSuccess;
  if (is_known &&
      (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged))
    return array;
  cudaGetLastError();  // what older drivers say of memory that they do not know
  void* const memory = bytes(count);
  if (count > 0) {
    check(cudaMemcpyAsync(memory, array, count, cudaMemcpyHostToDevice, device_->stream),
          "a copy to the GPU");
  }
  device_->synchronize();
  return memory;
}

const std::int32_t* CudaProgram::keep(const std::vector<std::int32_t>& table) {
  return input(table.data(), static_cast<std::int64_t>(table.size()));
}

double* CudaProgram::allocate_states(std::int64_t count) {
  num_states_ = static_cast<std::size_t>(count);
  states_ = allocate<double>(count * num_state_slots);
  return states_;
}

void CudaProgram::add(Phase phase, const CudaTask& task) {
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, task.kernel, task.block_size, 0),
        "the occupancy of a kernel");
  Step step{.kernel = task.kernel,
            .block_size = static_cast<unsigned int>(task.block_size),
            .words = task.words};
  std::vector<std::uint64_t> first_blocks, of_sections;
  std::int64_t num_blocks = 0;
  for (const CudaTask::Section& section : task.sections) {
    int team = section.team == WholeBlock ? task.block_size : section.team;
    if (team == 0) {
      team = usual_team(static_cast<double>(section.num_points), section.visits,
                        device_->num_multiprocessors);
      of_sections.push_back(static_cast<std::uint64_t>(team));
    }
    first_blocks.push_back(static_cast<std::uint64_t>(num_blocks));
    num_blocks +=
        launch_blocks({.num_points = section.num_points,
                       .lanes = section.lanes,
                       .team = team,
                       .block_size = task.block_size,
                       .rows_per_thread = task.rows_per_thread,
                       .has_reductions = task.has_reductions,
                       .has_epilogue = task.has_epilogue,
                       .resident_blocks = std::int64_t{resident} * device_->num_multiprocessors,
                       .num_multiprocessors = device_->num_multiprocessors});
    for (std::size_t d = 0; d + 1 < section.extents.size(); ++d) {
      const MagicDivisor divisor =
          make_magic_divisor(static_cast<std::uint64_t>(section.extents[d]), 32);
      of_sections.insert(of_sections.end(), {divisor.multiplier, divisor.shift});
    }
  }
  step.words.insert(step.words.end(), first_blocks.begin(), first_blocks.end());
  step.words.insert(step.words.end(), of_sections.begin(), of_sections.end());
  if (task.has_epilogue) {
    step.words.push_back(reinterpret_cast<std::uintptr_t>(arrivals_));
    num_blocks = std::max<std::int64_t>(num_blocks, 1);
  }
  step.num_blocks = static_cast<unsigned int>(num_blocks);
  phases_[static_cast<std::size_t>(phase)].push_back(std::move(step));
}

void CudaProgram::add_clear(Phase phase, void* memory, std::size_t count) {
  Step step;
  step.memory = memory;
  step.bytes = count;
  phases_[static_cast<std::size_t>(phase)].push_back(std::move(step));
}

void CudaProgram::finish_solve() {
  for (const auto& [host, memory, count] : copied_back_) {
    check(cudaMemcpyAsync(host, memory, count, cudaMemcpyDeviceToHost, device_->stream),
          "a copy from the GPU");
  }
  device_->synchronize();
}

void CudaProgram::run(Phase phase) {
  for (const Step& step : phases_[static_cast<std::size_t>(phase)]) device_->enqueue(step);
}

// A graph of some linear iterations. Those behind the end of the solve do nothing.
void CudaProgram::capture(int iterations, bool resets) {
  if (device_->loop != nullptr && device_->iterations_of_loop == iterations &&
      device_->loop_resets == resets)
    return;
  device_->forget_loop();
  check(cudaStreamBeginCapture(device_->stream, cudaStreamCaptureModeThreadLocal), "a graph");
  for (int i = 0; i < iterations; ++i)
    for (const Phase phase : {Phase::Direction, Phase::Apply, Phase::Update}) run(phase);
  if (resets) {
    for (const Phase phase : {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate})
      run(phase);
  }
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(device_->stream, &graph), "a graph");
  const cudaError_t made = cudaGraphInstantiate(&device_->loop, graph, 0);
  cudaGraphDestroy(graph);
  check(made, "a graph");
  device_->iterations_of_loop = iterations;
  device_->loop_resets = resets;
}

// The host looks at the end of one graph while the next one runs.
void CudaProgram::run_linear_loop(const LinearLoop& loop) {
  if (loop.max_iterations <= 0) return;
  if (num_states_ != 1) return PhaseRunner::run_linear_loop(loop);
  const bool resets = loop.reset_period > 0 && loop.reset_period <= loop.max_iterations;
  const int iterations = resets ? loop.reset_period : std::min(loop.max_iterations, MostIterations);
  capture(iterations, resets);
  const double* const stop = states_ + static_cast<std::size_t>(StateSlot::Stop);
  const int num_launches = (loop.max_iterations + iterations - 1) / iterations;
  for (int i = 0; i < num_launches; ++i) {
    const int number = i % 2;
    check(cudaGraphLaunch(device_->loop, device_->stream), "a graph");
    check(cudaMemcpyAsync(device_->stopped + number, stop, sizeof(double), cudaMemcpyDeviceToHost,
                          device_->stream),
          "a copy from the GPU");
    check(cudaEventRecord(device_->looked[number], device_->stream), "an event");
    if (i == 0) continue;
    check(cudaEventSynchronize(device_->looked[1 - number]), "the GPU");
    if (device_->stopped[1 - number] != 0) return;
    if (loop.is_interrupted && loop.is_interrupted()) return;
  }
}

void CudaProgram::read_states(std::span<SolverState> states, std::span<const std::size_t>) {
  check(cudaMemcpyAsync(states.data(), states_, states.size_bytes(), cudaMemcpyDeviceToHost,
                        device_->stream),
        "a copy from the GPU");
  device_->synchronize();
}

void CudaProgram::write_states(std::span<const SolverState> states, std::span<const std::size_t>) {
  check(cudaMemcpyAsync(states_, states.data(), states.size_bytes(), cudaMemcpyHostToDevice,
                        device_->stream),
        "a copy to the GPU");
  device_->synchronize();
}

}  // namespace thallo
