// The interpreter backend: connects evaluate.h to the memory of HostExecutable. It is always
// available and always computes in double.

#include <span>
#include <utility>

#include "core/backend/host_executable.h"
#include "core/backend/host_machine.h"
#include "core/backend/interpreter/calibrate.h"
#include "core/backend/interpreter/evaluate.h"

namespace thallo {
namespace {

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
  if (auto legal = check_ordinal(backend->name(), ordinal, backend->devices()); !legal)
    return fail(legal.error());
  return backend;
}

}  // namespace thallo
