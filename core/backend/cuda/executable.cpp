#include "core/backend/cuda/executable.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "core/backend/compile_progress.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/sources.h"
#include "core/backend/cuda/step_bench.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/kernel/emit.h"

namespace thallo::cuda {
namespace {

constexpr std::size_t StateBytes = sizeof(SolverState);
// A host loop waits for the device once in this many iterations.
constexpr int StopCheckPeriod = 8;
// If the graph runs longer than LongWait, the wait checks every PollPeriod whether it is
// interrupted.
constexpr auto LongWait = std::chrono::milliseconds(50);
constexpr auto PollPeriod = std::chrono::microseconds(500);

bool is_set_to(const char* variable, std::string_view text) {
  const char* value = std::getenv(variable);
  return value != nullptr && value == text;
}
bool wants_loop_graph() { return !synchronous_launches() && !is_set_to("THALLO_CUDA_GRAPH", "0"); }

}  // namespace

CudaExecutable::CudaExecutable(std::shared_ptr<const Device> device, GeneratedProgram program,
                               const CompileOptions& options)
    : device_(std::move(device)),
      generated_(std::move(program)),
      options_(options),
      pinned_state_(StateBytes),
      use_loop_graph_(wants_loop_graph()) {}

CudaExecutable::~CudaExecutable() {
  // The members release memory and modules, which must not be in use then.
  driver().cuCtxSetCurrent(device_->context());
  driver().cuStreamSynchronize(stream_.get());
}

Expected<std::unique_ptr<Executable>> CudaExecutable::compile(std::shared_ptr<const Device> device,
                                                              GeneratedProgram program,
                                                              const CompileOptions& options) {
  for (const KernelCode& code : program.codes) {
    if (const auto fits = check_arguments(program.program, code); !fits) return fail(fits.error());
  }
  device->make_current();
  std::unique_ptr<CudaExecutable> executable(
      new CudaExecutable(std::move(device), std::move(program), options));
  if (auto done = executable->compile_variant(32); !done) return fail(done.error());
  auto arrivals = DeviceBuffer::allocate(sizeof(std::uint32_t), "the arrival counter");
  if (!arrivals) return fail(arrivals.error());
  executable->arrivals_ = std::move(*arrivals);
  auto libraries = Libraries::open(executable->program(), options.precision, executable->stream_);
  if (!libraries) return fail(libraries.error());
  executable->libraries_ = std::move(*libraries);
  return std::unique_ptr<Executable>(std::move(executable));
}

Expected<void> CudaExecutable::compile_variant(int index_bits) {
  if (variants_.contains(index_bits)) return {};
  const std::vector<Source> sources = program_sources(generated_, options_, index_bits);
  auto images = compile_all(sources, device_->info().architecture, options_.compile_threads,
                            options_.stop, counting_progress(options_, sources.size()));
  if (!images) return fail(images.error());
  const std::string& architecture = device_->info().architecture;
  if (images->size() > generated_.codes.size() && dense_ == nullptr) {
    auto module = load_module(sources.back(), architecture, images->back());
    if (!module) return fail(module.error());
    dense_ = std::make_unique<DenseSolver>(*std::move(module));
  }

  Variant variant;
  std::map<std::string, std::size_t> module_of_key;
  for (std::size_t i = 0; i < generated_.codes.size(); ++i) {
    CachedImage& image = (*images)[i];
    const auto [module, is_new] = module_of_key.try_emplace(image.key, variant.modules.size());
    if (is_new) {
      auto loaded = load_module(sources[i], architecture, image);
      if (!loaded) return fail(loaded.error());
      variant.modules.push_back(*std::move(loaded));
    }
    const CUfunction function = variant.modules[module->second].function(generated_.codes[i].role);
    int blocks = 0;  // per multiprocessor
    THALLO_CUDA_FOR(
        generated_.codes[i].label,
        cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, block_size_of(generated_.codes[i], options_.block_size), 0));
    variant.kernels.push_back({function, blocks * device_->info().num_units});
    const CompiledKernel& record =
        variant.records.emplace_back(record_of(generated_.codes[i], sources[i], image));
    logger("cuda").debug("{}: {} registers, {} bytes spilled, {} blocks resident, {}", record.label,
                         record.registers, record.spill_bytes,
                         variant.kernels.back().resident_blocks,
                         image.from_cache ? "cached" : "compiled");
  }
  variants_.emplace(index_bits, std::move(variant));
  return {};
}

const CudaExecutable::Steps& CudaExecutable::bound_steps(Phase phase) const {
  static const Steps none;
  const auto found = steps_.find(phase);
  return found == steps_.end() ? none : found->second;
}

// Returns step number `step`, counted over all steps of the phase.
const BoundStep& CudaExecutable::bound_step(Phase phase, std::size_t step) const {
  const auto before = std::span(program().steps(phase)).first(step);
  const auto num_launched = std::ranges::count_if(
      before, [this](const Step& s) { return is_launched(generated_, storage_->sizes(), s); });
  return bound_steps(phase)[static_cast<std::size_t>(num_launched)];
}

int CudaExecutable::enqueue(Phase phase) {
  int num_launches = 0;
  for (const BoundStep& step : bound_steps(phase)) {
    num_launches += cuda::enqueue(stream_, step, dense_.get());
  }
  return num_launches;
}

void CudaExecutable::run(Phase phase) {
  THALLO_ASSERT(storage_ != nullptr, "run before bind");
  if (bound_steps(phase).empty()) return;
  device_->make_current();
  timer_.begin(stream_.get(), phase);
  timer_.end(stream_.get(), enqueue(phase));
}

void CudaExecutable::run_linear_loop(const LinearLoop& loop) {
  THALLO_ASSERT(storage_ != nullptr, "run before bind");
  if (loop.max_iterations <= 0) return;
  device_->make_current();
  LoopGraph* graph = find_loop_graph(loop);
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

LoopSteps CudaExecutable::loop_steps(bool with_resets) const {
  LoopSteps result;
  const auto append = [this](std::vector<const BoundStep*>& list, Phase phase) {
    for (const BoundStep& step : bound_steps(phase)) list.push_back(&step);
  };
  for (const Phase phase : {Phase::Direction, Phase::Apply, Phase::Update}) {
    append(result.iteration, phase);
  }
  if (with_resets) {
    for (const Phase phase : {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate}) {
      append(result.reset, phase);
    }
  }
  return result;
}

// Waits first, because the graph may be running.
void CudaExecutable::drop_loop_graph() {
  if (loop_graph_ == nullptr) return;
  stream_.synchronize();
  loop_graph_.reset();
}

// Returns the graph for this loop, building it if there is none of its shape; null if the loop runs
// from the host.
LoopGraph* CudaExecutable::find_loop_graph(const LinearLoop& loop) {
  if (!use_loop_graph_) return nullptr;
  const LoopSteps steps = loop_steps(loop.reset_period > 0);
  const LoopShape shape = choose_loop_shape(loop, static_cast<int>(steps.iteration.size()),
                                            static_cast<int>(steps.reset.size()));
  if (loop_graph_ != nullptr && loop_graph_->shape() == shape) return loop_graph_.get();
  drop_loop_graph();
  auto graph = LoopGraph::build(*device_, stream_, steps, shape);
  if (!graph) {
    logger("cuda").warn("the linear loop runs from the host: {}", graph.error().what);
    use_loop_graph_ = false;
    return nullptr;
  }
  loop_graph_ = std::move(*graph);
  return loop_graph_.get();
}

int CudaExecutable::run_host_loop(const LinearLoop& loop) {
  int num_launches = 0;
  for (int i = 1; i <= loop.max_iterations; ++i) {
    for (const Phase phase : {Phase::Direction, Phase::Apply, Phase::Update}) {
      num_launches += enqueue(phase);
    }
    if (loop.reset_period > 0 && i % loop.reset_period == 0) {
      for (const Phase phase : {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate}) {
        num_launches += enqueue(phase);
      }
    }
    if (i % StopCheckPeriod != 0 || i == loop.max_iterations) continue;
    if (stopped() || (loop.is_interrupted && loop.is_interrupted())) break;
  }
  return num_launches;
}

// Waits for the graph. After LongWait it also checks whether the loop is interrupted. If so, sets
// state.MaxLinearIterations to 0, which makes the current iteration the last one. (If Stop were set
// from here, some blocks of a kernel could see it and others not.)
void CudaExecutable::wait_for_loop() {
  const auto is_interrupted = std::exchange(is_interrupted_, {});
  if (!is_interrupted) return;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const CUresult state = driver().cuStreamQuery(stream_.get());
    // synchronize() throws the error.
    if (state != CUDA_ERROR_NOT_READY) return stream_.synchronize();
    if (std::chrono::steady_clock::now() - start < LongWait) {
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

bool CudaExecutable::stopped() {
  THALLO_CUDA(cuMemcpyDtoHAsync_v2(pinned_state_.data(), storage_->state_slot(StateSlot::Stop),
                                   sizeof(double), stream_.get()));
  stream_.synchronize();
  double stop = 0;
  std::memcpy(&stop, pinned_state_.data(), sizeof stop);
  return stop != 0;
}

SolverState CudaExecutable::read_state() {
  THALLO_ASSERT(storage_ != nullptr, "read before bind");
  device_->make_current();
  wait_for_loop();
  THALLO_CUDA(cuMemcpyDtoHAsync_v2(pinned_state_.data(), storage_->field(program().state),
                                   StateBytes, stream_.get()));
  stream_.synchronize();
  SolverState state;
  std::memcpy(state.data(), pinned_state_.data(), StateBytes);
  return state;
}

void CudaExecutable::write_state(const SolverState& state) {
  THALLO_ASSERT(storage_ != nullptr, "write before bind");
  device_->make_current();
  upload_bytes(stream_.get(), storage_->field(program().state), std::as_bytes(std::span(state)));
}

std::vector<double> CudaExecutable::read_buffer(std::size_t buffer) {
  THALLO_ASSERT(storage_ != nullptr, "read before bind");
  device_->make_current();
  return VectorLayout(program()).to_plain(
      program().buffers[buffer], storage_->sizes(),
      download(stream_.get(), storage_->buffer(buffer).pointer(), storage_->buffer_type(buffer),
               storage_->buffer_size(buffer)));
}

void CudaExecutable::write_buffer(std::size_t buffer, const std::vector<double>& values) {
  THALLO_ASSERT(storage_ != nullptr, "write before bind");
  THALLO_ASSERT_EQ(values.size(), storage_->buffer_size(buffer));
  device_->make_current();
  cuda::upload(stream_.get(), storage_->buffer(buffer).pointer(), storage_->buffer_type(buffer),
               std::span<const double>(VectorLayout(program()).from_plain(
                   program().buffers[buffer], storage_->sizes(), values)));
}

const ProgramSizes& CudaExecutable::sizes() const {
  THALLO_ASSERT(storage_ != nullptr, "sizes before bind");
  return storage_->sizes();
}

ScalarType CudaExecutable::buffer_type(std::size_t buffer) const {
  THALLO_ASSERT(storage_ != nullptr, "types before bind");
  return storage_->buffer_type(buffer);
}

Expected<std::unique_ptr<StepBench>> CudaExecutable::make_step_bench() {
  THALLO_ASSERT(storage_ != nullptr, "steps before bind");
  device_->make_current();
  return CudaStepBench::make(*device_, stream_, *storage_, storage_->field(program().state),
                             dense_.get(),
                             [this](Phase phase, std::size_t step) -> const BoundStep& {
                               return bound_step(phase, step);
                             });
}

void CudaExecutable::synchronize() {
  device_->make_current();
  stream_.synchronize();
}

std::vector<PhaseTiming> CudaExecutable::timing() const {
  device_->make_current();
  timer_.collect();
  return timer_.totals();
}

void CudaExecutable::reset_timing() {
  device_->make_current();
  is_interrupted_ = {};  // a failed solve may have left its callback
  timer_.reset();
}

}  // namespace thallo::cuda
