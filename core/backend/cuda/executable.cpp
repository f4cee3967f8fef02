#include "core/backend/cuda/executable.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/step_bench.h"
#include "core/base/error.h"

namespace thallo::cuda {
namespace {

constexpr std::array IterationPhases = {Phase::Direction, Phase::Apply, Phase::Update};
constexpr std::array ResetPhases = {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate};

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

}  // namespace

CudaExecutable::CudaExecutable(std::shared_ptr<const Device> device, GeneratedProgram program,
                               const CompileOptions& options)
    : device_(std::move(device)),
      generated_(std::move(program)),
      options_(options),
      kernels_(*device_, generated_, options_),
      data_(*device_, stream_, generated_.program),
      graphs_(*device_, stream_, [this](const Sequence& sequence) { return steps_of(sequence); }) {}

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
  if (auto done = executable->kernels_.use({.index_bits = 32}); !done) return fail(done.error());
  THALLO_TRY(executable->arrivals_,
             DeviceBuffer::allocate(sizeof(std::uint32_t), "the arrival counter"));
  THALLO_TRY(executable->libraries_,
             Libraries::open(executable->program(), options.precision, executable->stream_));
  THALLO_TRY(executable->marks_, BatchMarks::load(*executable->device_));
  return std::unique_ptr<Executable>(std::move(executable));
}

Expected<void> CudaExecutable::bind_valid(const Binding& binding) {
  device_->make_current();
  stream_.synchronize();  // replaced memory may be in use
  if (!data_.has_tables_of(binding)) {
    if (auto done = bind_tables(binding); !done) return done;
  }
  data_.storage()->clear_buffers(stream_);
  clear(stream_.get(), arrivals_.pointer(), arrivals_.bytes());
  if (auto done = data_.upload_all(binding); !done) {
    forget_memory();
    return done;
  }
  if (auto done = bind_steps(); !done) return done;
  timer_.reset();
  return {};
}

// Allocates memory for the extents, makes the tables of indices and uploads the sparse maps.
Expected<void> CudaExecutable::bind_tables(const Binding& binding) {
  auto sizes = ProgramSizes::make(program(), binding, options_.memory_limit);
  if (!sizes) return fail(sizes.error());
  const ProgramSizes tables = *sizes;  // tables may have changed where no size did
  if (data_.storage() == nullptr || !data_.storage()->sizes().have_equal_extents(*sizes)) {
    auto fits = check_memory_limit(program(), *sizes, options_.precision, options_.memory_limit,
                                   kernels_.workspace_bytes(*sizes));
    if (!fits) return fits;
    if (auto done = resize(std::move(*sizes), binding); !done) return done;
  }
  data_.upload_tables(tables, binding);
  host_solve_ = HostSolve::make(program(), tables);
  if (libraries_ != nullptr) {  // after the maps, which contain the patterns of matrices
    graphs_.drop();             // they have captured pointers to the workspaces
    auto done = libraries_->bind(*data_.storage());
    if (done) {
      done = check_memory_limit(program(), data_.storage()->sizes(), options_.precision,
                                options_.memory_limit,
                                libraries_->workspace_bytes() + kernels_.workspace_bytes(tables));
    }
    if (!done) {
      forget_memory();
      return done;
    }
  }
  data_.remember_tables(binding);
  return {};
}

// Allocates memory and compiles code for these sizes.
Expected<void> CudaExecutable::resize(ProgramSizes sizes, const Binding& binding) {
  forget_memory();  // before the new storage, which may need it
  THALLO_TRY(auto storage,
             Storage::allocate(program(), options_.precision, std::move(sizes), binding));
  if (auto done = kernels_.resize(stream_, storage->sizes()); !done) return done;
  data_.resize(std::move(storage));
  return {};
}

void CudaExecutable::forget_memory() {
  graphs_.drop();
  steps_.clear();
  data_.forget();
}

// Prepares all steps anew. Graphs of them stay, with the new arguments of their kernels.
Expected<void> CudaExecutable::bind_steps() {
  std::map<Phase, Steps> all;
  Storage& storage = *data_.storage();
  LaunchContext context{.program = program(),
                        .storage = storage,
                        .params = data_.params(),
                        .arrivals = arrivals_.pointer(),
                        .block_size = options_.block_size,
                        .index_bits = kernels_.index_bits(),
                        .has_windows = kernels_.has_windows(),
                        .precision = options_.precision,
                        .num_multiprocessors = device_->info().num_units};
  auto done = reserve_block_sums(context, generated_.codes, kernels_.kernels(), block_sums_);
  if (!done) return done;
  for (const auto& [phase, steps] : program().phases) {
    Steps& bound = all[phase];
    for (const Step& step : steps) {
      if (!is_launched(generated_, storage.sizes(), step)) continue;
      if (const auto* kernel = std::get_if<LaunchKernel>(&step)) {
        bound.emplace_back(bind_launch(context, generated_.codes[kernel->kernel],
                                       kernels_.kernels()[kernel->kernel], *kernel));
      } else if (const auto* zero = std::get_if<ClearBuffer>(&step)) {
        bound.emplace_back(bind_clear(storage, *zero));
      } else if (const auto* multigrid = std::get_if<RunMultigrid>(&step)) {
        bound.emplace_back(kernels_.multigrid()->bind(program(), storage, *multigrid));
      } else if (const auto op = library_op(step)) {
        bound.emplace_back(BoundLibrary{libraries_.get(), *op, label_of(program(), *op)});
      } else if (host_solve_ != nullptr) {
        bound.emplace_back(BoundHostSolve{host_solve_.get(), &storage});
      } else {
        bound.emplace_back(bind_dense(storage, *kernels_.dense(), std::get<SolveDirect>(step)));
      }
    }
  }
  if (MemberLoop* loop = kernels_.member_loop())
    loop->bind(context, generated_, kernels_.kernels());
  steps_ = std::move(all);
  marks_->bind(storage.field(program().state));
  pinned_states_ =
      std::make_unique<PinnedBuffer>(std::max<std::size_t>(num_states(), 1) * sizeof(SolverState));
  graphs_.update();
  return done;
}

Storage& CudaExecutable::bound() const {
  THALLO_ASSERT(data_.storage() != nullptr, "no instance is bound");
  device_->make_current();
  return *data_.storage();
}

Expected<void> CudaExecutable::upload(const Binding& binding, FieldId field) {
  bound();
  const auto changes_steps = data_.upload(binding, field);
  if (!changes_steps) return fail(changes_steps.error());
  return *changes_steps ? bind_steps() : Expected<void>{};
}

void CudaExecutable::download_unknowns(Binding& binding) {
  bound();
  data_.download_unknowns(binding);
}

// All states are one copy.
void CudaExecutable::read_states(std::span<SolverState> states, std::span<const std::size_t>) {
  const CUdeviceptr from = bound().field(program().state);
  wait_for_loop(std::exchange(is_interrupted_, {}));
  if (states.empty()) return;
  void* const copy = pinned_states_->data();
  THALLO_CUDA(cuMemcpyDtoHAsync_v2(copy, from, states.size_bytes(), stream_.get()));
  stream_.synchronize();
  std::memcpy(states.data(), copy, states.size_bytes());
}

void CudaExecutable::write_states(std::span<const SolverState> states,
                                  std::span<const std::size_t>) {
  const CUdeviceptr to = bound().field(program().state);
  if (states.empty()) return;
  stream_.synchronize();  // nothing reads the pinned memory any more
  std::memcpy(pinned_states_->data(), states.data(), states.size_bytes());
  THALLO_CUDA(cuMemcpyHtoDAsync_v2(to, pinned_states_->data(), states.size_bytes(), stream_.get()));
}

const ProgramSizes& CudaExecutable::sizes() const { return bound().sizes(); }

ScalarType CudaExecutable::buffer_type(std::size_t buffer) const {
  return bound().buffer_type(buffer);
}

Expected<std::unique_ptr<StepBench>> CudaExecutable::make_step_bench() {
  const Storage& storage = bound();
  // Finds step number `step`, counted over all steps of the phase.
  const auto find = [this, &storage](Phase phase, std::size_t step) -> const BoundStep& {
    const auto before = std::span(program().steps(phase)).first(step);
    const auto num_launched = std::ranges::count_if(
        before, [&](const Step& s) { return is_launched(generated_, storage.sizes(), s); });
    return bound_steps(phase)[static_cast<std::size_t>(num_launched)];
  };
  return CudaStepBench::make(*device_, stream_, storage, storage.field(program().state), find);
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

const CudaExecutable::Steps& CudaExecutable::bound_steps(Phase phase) const {
  static const Steps none;
  const auto found = steps_.find(phase);
  return found == steps_.end() ? none : found->second;
}

int CudaExecutable::enqueue(Phase phase) {
  int num_launches = 0;
  for (const BoundStep& step : bound_steps(phase)) {
    num_launches += cuda::enqueue(stream_, step);
  }
  return num_launches;
}

void CudaExecutable::run(Phase phase) {
  bound();
  if (bound_steps(phase).empty()) return;
  timer_.begin(stream_.get(), phase);
  timer_.end(stream_.get(), enqueue(phase));
}

void CudaExecutable::run_linear_loop(const LinearLoop& loop) {
  bound();
  if (loop.max_iterations <= 0) return;
  // Each member of a batch stops by itself, and no kernel knows when the last one has.
  StepGraph* graph = program().has_members() ? nullptr : graphs_.find({.loop = loop_shape(loop)});
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

void CudaExecutable::run_batch(const Batch& batch, std::span<SolverState> states,
                               std::span<const std::size_t> which) {
  bound();
  if (program().has_members()) return Executable::run_batch(batch, states, which);
  std::optional<LoopShape> loop;
  if (batch.loop && batch.loop->max_iterations > 0) loop = loop_shape(*batch.loop);
  const std::vector<Sequence> sequences = sequences_of(batch, loop, host_solve_ != nullptr);
  // A driver that refuses the loop does so before anything is launched.
  for (const Sequence& sequence : sequences)
    if (sequence.loop) graphs_.find(sequence);
  if (!graphs_.are_used()) return Executable::run_batch(batch, states, which);
  marks_->start(states.front());
  for (const Sequence& sequence : sequences) enqueue(sequence);
  wait_for_batch(loop ? batch.loop->is_interrupted : std::function<bool()>());
  count_times(batch);
  states.front() = marks_->state();
}

std::optional<int> CudaExecutable::iterate_members(const MemberIterations& asked,
                                                   std::span<SolverState> states) {
  bound();
  MemberLoop* const loop = kernels_.member_loop();
  if (loop == nullptr || !graphs_.are_used()) return std::nullopt;
  timer_.begin(stream_.get(), Phase::Apply);
  const int made = loop->run(stream_, interrupt_stream_, asked, states.size());
  timer_.end(stream_.get(), 2);
  read_states(states, {});
  return made;
}

void CudaExecutable::enqueue(const Sequence& sequence) {
  if (const StepGraph* graph = graphs_.find(sequence); graph != nullptr) {
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
  if (kernels_.multigrid() != nullptr)
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

int CudaExecutable::run_host_loop(const LinearLoop& loop) {
  int num_launches = 0;
  int num_iterations = 0;
  run_loop(
      loop, [&](Phase phase) { num_launches += enqueue(phase); },
      [&] { return ++num_iterations % StopCheckPeriod == 0 && has_stopped(); });
  return num_launches;
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
      upload_bytes(interrupt_stream_.get(),
                   data_.storage()->state_slot(StateSlot::MaxLinearIterations),
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
