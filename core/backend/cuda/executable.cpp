#include "core/backend/cuda/executable.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
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

bool is_set_to(const char* variable, std::string_view text) {
  const char* value = std::getenv(variable);
  return value != nullptr && value == text;
}
bool wants_graphs() { return !synchronous_launches() && !is_set_to("THALLO_CUDA_GRAPH", "0"); }

}  // namespace

CudaExecutable::CudaExecutable(std::shared_ptr<const Device> device, GeneratedProgram program,
                               const CompileOptions& options)
    : device_(std::move(device)),
      generated_(std::move(program)),
      options_(options),
      pinned_state_(StateBytes),
      use_graphs_(wants_graphs()) {}

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
  auto marks = BatchMarks::load(*executable->device_);
  if (!marks) return fail(marks.error());
  executable->marks_ = std::move(*marks);
  return std::unique_ptr<Executable>(std::move(executable));
}

Expected<void> CudaExecutable::compile_variant(int index_bits) {
  if (variants_.contains(index_bits)) return {};
  const std::vector<Source> sources = program_sources(generated_, options_, index_bits);
  auto images = compile_all(sources, device_->info().architecture, options_.compile_threads,
                            options_.stop, counting_progress(options_, sources.size()));
  if (!images) return fail(images.error());
  const std::string& architecture = device_->info().architecture;
  if (images->size() > generated_.codes.size() && dense_ == nullptr && multigrid_ == nullptr) {
    auto module = load_module(sources.back(), architecture, images->back());
    if (!module) return fail(module.error());
    if (program().multigrid) {
      auto multigrid = MultigridKernels::make(*std::move(module), *device_);
      if (!multigrid) return fail(multigrid.error());
      multigrid_ = *std::move(multigrid);
    } else {
      dense_ = std::make_unique<DenseSolver>(*std::move(module));
    }
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
    num_launches += cuda::enqueue(stream_, step);
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

SolverState CudaExecutable::read_state() {
  THALLO_ASSERT(storage_ != nullptr, "read before bind");
  device_->make_current();
  wait_for_loop(std::exchange(is_interrupted_, {}));
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
