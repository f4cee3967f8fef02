#include <algorithm>
#include <chrono>
#include <map>

#include "core/backend/backend.h"
#include "core/backend/dense_solve.h"
#include "core/backend/interpreter/evaluate.h"
#include "core/base/error.h"

namespace thallo {
namespace {

class InterpreterExecutable final : public Executable {
 public:
  InterpreterExecutable(KernelProgram program, const CompileOptions& options)
      : program_(std::move(program)) {
    const std::vector<Kernel> kernels = program_.kernels;
    for (const Kernel& kernel : kernels) {
      codes_.push_back(generate_code(program_, kernel, options.passes));
      compiled_.push_back({.role = kernel.role, .label = kernel.label});
    }
    memory_.map = [this](MapId map) { return std::span<const std::int32_t>(maps_[map.index()]); };
    memory_.extent = [this](DimId dim) { return extents_[dim.index()]; };
    memory_.unknown_offset = [this](FieldId unknown) { return offsets_.at(unknown); };
  }

  Expected<void> bind(const Binding& binding) override {
    extents_ = binding.extents();
    offsets_.clear();
    std::int64_t total = 0;
    for (const FieldId unknown : program_.unknowns) {
      offsets_[unknown] = total;
      total += num_scalars(unknown);
    }
    extents_.push_back(total);
    memory_.num_unknowns = total;
    maps_.clear();
    for (std::size_t m = 0; m < program_.maps.size(); ++m) maps_.push_back(binding.map(MapId(m)));

    energy_fields_.clear();
    for (std::size_t f = 0; f < program_.fields.size(); ++f) {
      const FieldKind kind = program_.fields[f].kind;
      if (kind == FieldKind::Buffer || kind == FieldKind::Intermediate) continue;
      energy_fields_[FieldId(f)] = binding.field(FieldId(f)).to_doubles();
    }
    buffers_.clear();
    views_.clear();
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
      const BufferDecl& buffer = program_.buffers[b];
      std::int64_t size = 0;
      for (const FieldId field : buffer.fields) {
        views_[field] = {b, size, num_scalars(field)};
        size += num_scalars(field);
      }
      if (buffer.flat.valid()) views_[buffer.flat] = {b, 0, size};
      buffers_.emplace_back(static_cast<std::size_t>(size), 0.0);
    }
    return {};
  }

  Expected<void> upload(const Binding& binding, FieldId field) override {
    energy_fields_.at(field) = binding.field(field).to_doubles();
    return {};
  }

  void download_unknowns(Binding& binding) override {
    for (const FieldId unknown : program_.unknowns) {
      const std::vector<double>& values = energy_fields_.at(unknown);
      for (std::size_t i = 0; i < values.size(); ++i)
        binding.field(unknown).set_value(i, values[i]);
    }
  }

  void run(Phase phase) override {
    const auto start = std::chrono::steady_clock::now();
    PhaseTiming& timing = timing_[phase];
    timing.phase = phase;
    for (const Step& step : program_.steps(phase)) {
      if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
        run_kernel(*launch);
        ++timing.launches;
      } else if (const auto* clear = std::get_if<ClearBuffer>(&step)) {
        std::ranges::fill(buffers_[clear->buffer], 0.0);
      } else {
        solve(std::get<SolveDense>(step));
      }
    }
    timing.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  SolverState read_state() override {
    SolverState state{};
    const std::span<double> values = field(program_.state);
    std::ranges::copy(values, state.begin());
    return state;
  }
  void write_state(const SolverState& state) override {
    std::ranges::copy(state, field(program_.state).begin());
  }
  std::vector<double> read_buffer(std::size_t buffer) override { return buffers_[buffer]; }
  void write_buffer(std::size_t buffer, const std::vector<double>& values) override {
    THALLO_ASSERT_EQ(values.size(), buffers_[buffer].size());
    buffers_[buffer] = values;
  }

  std::vector<PhaseTiming> timing() const override {
    std::vector<PhaseTiming> result;
    for (const auto& [phase, timing] : timing_) result.push_back(timing);
    return result;
  }
  void reset_timing() override { timing_.clear(); }
  const std::vector<CompiledKernel>& kernels() const override { return compiled_; }
  const KernelProgram& program() const override { return program_; }

 private:
  struct View {
    std::size_t buffer = 0;
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };

  std::int64_t num_scalars(FieldId id) const {
    const Field& f = program_.field(id);
    std::int64_t size = f.channels;
    for (const DimId dim : f.dims) size *= extents_[dim.index()];
    return size;
  }

  std::span<double> field(FieldId id) {
    if (const auto own = energy_fields_.find(id); own != energy_fields_.end()) return own->second;
    const View& view = views_.at(id);
    return std::span(buffers_[view.buffer])
        .subspan(static_cast<std::size_t>(view.offset), static_cast<std::size_t>(view.size));
  }

  void run_kernel(const LaunchKernel& launch) {
    if (launch.gate &&
        field(program_.state)[static_cast<std::size_t>(launch.gate->slot)] != launch.gate->value)
      return;
    memory_.field = [&](FieldId id) {
      const auto rebound = launch.rebind.find(id);
      return field(rebound == launch.rebind.end() ? id : rebound->second);
    };
    interpret(program_, codes_[launch.kernel], memory_);
  }

  void solve(const SolveDense& s) {
    const std::vector<double> none(buffers_[s.b].size(), 0.0);
    buffers_[s.x] = solve_dense(buffers_[s.matrix], s.damping ? buffers_[*s.damping] : none,
                                buffers_[s.free], buffers_[s.b]);
  }

  KernelProgram program_;
  std::vector<KernelCode> codes_;
  std::vector<CompiledKernel> compiled_;
  InterpreterMemory memory_;
  std::vector<std::int64_t> extents_;
  std::map<FieldId, std::int64_t> offsets_;
  std::vector<std::vector<std::int32_t>> maps_;
  std::map<FieldId, std::vector<double>> energy_fields_;
  std::vector<std::vector<double>> buffers_;
  std::map<FieldId, View> views_;
  std::map<Phase, PhaseTiming> timing_;
};

class InterpreterBackend final : public Backend {
 public:
  std::string_view name() const override { return "interpreter"; }
  std::vector<DeviceInfo> devices() const override {
    return {{.name = "interpreter", .architecture = "double", .num_units = 1}};
  }
  Expected<std::unique_ptr<Executable>> compile(KernelProgram program,
                                                const CompileOptions& options) override {
    return std::make_unique<InterpreterExecutable>(std::move(program), options);
  }
};

}  // namespace

Expected<std::unique_ptr<Backend>> make_interpreter_backend() {
  return std::make_unique<InterpreterBackend>();
}

}  // namespace thallo
