// The interpreter backend: connects evaluate.h to the memory of HostExecutable. It is always
// available and always computes in double.

#include <memory>
#include <utility>

#include "core/backend/backend.h"
#include "core/backend/calibration.h"
#include "core/backend/host_costs.h"
#include "core/backend/host_executable.h"
#include "core/backend/host_machine.h"
#include "core/backend/interpreter/evaluate.h"
#include "core/backend/probe_programs.h"

namespace thallo {
namespace {

// Measures the rates of the interpreter. It visits every instruction of a kernel at every point, so
// the rates count visits: the operations, reads or additions of a generated kernel, divided by the
// kernel's time. Compared with a visit, memory access costs nothing: gathers are as fast as reads,
// and copies within the cache as fast as others. The interpreter runs on one thread and in double,
// so float is as fast as double and no addition is atomic.

constexpr std::int64_t NumPoints = 1 << 12;

Expected<DeviceSpec> calibrate_interpreter(Backend& interpreter) {
  const auto probe = [&](ProbeEnergy energy) {
    return ProgramProbe::make(interpreter, energy, NumPoints, Precision::Double);
  };
  THALLO_TRY(const auto difference, probe(ProbeEnergy::Difference));
  THALLO_TRY(const auto polynomial, probe(ProbeEnergy::Polynomial));
  THALLO_TRY(const auto sines, probe(ProbeEnergy::Sines));

  DeviceSpec spec = host_spec("interpreter", 1);
  spec.signature = interpreter.signature();
  const auto bytes = [](const KernelFeatures& f) { return f.must_move(); };
  spec.copy = difference->rate_of(Phase::Accept, bytes);
  spec.cached_copy = spec.copy;
  spec.read = difference->rate_of(Phase::Cost, bytes);
  spec.gather = RateCurve({{32, spec.read}});
  spec.load_latency = sizeof(double) / spec.read;  // loads do not overlap
  spec.private_add =
      difference->rate_of(Phase::Linearize, [](const KernelFeatures& f) { return f.atomics; });
  spec.atomic = RateCurve({{1, spec.private_add}});
  spec.double_flops =
      polynomial->rate_of(Phase::Cost, [](const KernelFeatures& f) { return f.flops.total(); });
  spec.float_flops = spec.double_flops;
  spec.double_transcendentals =
      sines->rate_of(Phase::Cost, [](const KernelFeatures& f) { return f.flops.transcendentals; });
  spec.float_transcendentals = spec.double_transcendentals;
  THALLO_CHECK(measure_host_costs(interpreter, HostPrecision::AllDouble, spec));
  return as_measured(std::move(spec));
}

class InterpreterExecutable final : public HostExecutable {
 public:
  InterpreterExecutable(GeneratedProgram program, const CompileOptions& options)
      : HostExecutable(std::move(program), HostPrecision::AllDouble, options) {}

 private:
  void launch(const LaunchKernel& step) override {
    const InterpreterMemory view{
        .field = [&](FieldId field) { return memory().doubles(rebound(step, field)); },
        .map = [&](MapId map) { return memory().map(map); },
        .extent = [&](DimId dim) { return memory().sizes().extent(dim); },
        .unknown_offset = [&](FieldId unknown) { return memory().sizes().offset(unknown); },
        .chunk_offset = [&](const LaterChunk& chunk) { return memory().sizes().offset(chunk); },
        .num_matrix_rows = memory().sizes().num_matrix_rows()};
    interpret(program(), code(step), view);
  }
};

class InterpreterBackend final : public Backend {
 public:
  std::string_view name() const override { return "interpreter"; }
  bool has_float() const override { return false; }
  bool runs_concurrently() const override { return true; }
  std::vector<DeviceInfo> devices() const override {
    return {{.name = "interpreter", .architecture = "double", .num_units = 1}};
  }
  std::string signature() const override { return host_machine().processor; }
  Expected<DeviceSpec> calibrate() override { return calibrate_interpreter(*this); }
  Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                const CompileOptions& options) override {
    return std::make_unique<InterpreterExecutable>(std::move(program), options);
  }
};

}  // namespace

Expected<std::unique_ptr<Backend>> make_interpreter_backend(int ordinal) {
  auto backend = std::make_unique<InterpreterBackend>();
  THALLO_CHECK(check_ordinal(backend->name(), ordinal, backend->devices()));
  return backend;
}

}  // namespace thallo
