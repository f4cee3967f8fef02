#pragma once

// Backends run KernelPrograms. A Backend compiles a program once (sizes are not compiled in); the
// Executable it returns is bound to an instance's data, as often as wanted, and runs phases. The
// solver sees Executable only.
//
// Three implementations: `interpreter` (double, no compiler: the test oracle of lowering), `cpu`
// (emitted C, host compiler), `cuda` (NVRTC).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/memory_limit.h"
#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/kernel/generate.h"
#include "core/kernel/state.h"

namespace thallo {

struct DeviceInfo {
  std::string name;
  std::string architecture;  // "x86_64", "sm_90"
  std::int64_t memory_bytes = 0;
  int num_units = 0;  // cores or multiprocessors
};

struct CompileOptions {
  bool double_precision = false;
  int num_threads = 0;      // host threads (cpu); 0 = all
  int compile_threads = 0;  // that compile kernels at the same time; 0 = all
  int block_size = 256;     // cuda
  int index_bits = 0;       // 64 forces wide indices; 0 = as the sizes need
  // Bytes of stored J, JtJ and Jp; bind() fails where a schedule asks for more.
  std::int64_t memory_limit = DefaultMemoryLimit;
};

// One generated kernel as it was compiled.
struct CompiledKernel {
  std::string role;
  std::string label;
  std::string source;  // emitted text (empty for the interpreter)
  std::string key;     // canonical key, hex
  bool from_cache = false;
  double compile_seconds = 0;
  std::string warnings;  // the compiler's (cuda); none when it came from the cache
  int registers = 0;     // cuda
  int spill_bytes = 0;   // cuda
};

// Accumulated since bind() or reset_timing().
struct PhaseTiming {
  Phase phase;
  std::int64_t launches = 0;
  double seconds = 0;
};

struct LinearLoop {
  int max_iterations = 0;
  int reset_period = 0;  // 0 = never
  // The caller no longer wants the rest of the iterations; empty: it always does. Asked by the
  // thread that called, between iterations or, when they run on the device, every few milliseconds
  // until the next read_state() has returned. What the loop has found so far stays.
  std::function<bool()> is_interrupted = {};
};

class Executable {
 public:
  virtual ~Executable() = default;

  // Allocates for these extents and uploads everything. A second bind with other extents compiles
  // nothing new while the index width stays the same. Fails when the binding lacks something or
  // holds what no kernel may see (Binding::validate), and when the data does not fit in memory or
  // within the memory limit (names the bytes).
  Expected<void> bind(const Binding& binding);
  // Uploads one field again after the Binding changed (same extents).
  virtual Expected<void> upload(const Binding& binding, FieldId field) = 0;
  // Copies the current unknowns into the binding's fields.
  virtual void download_unknowns(Binding& binding) = 0;

  // Enqueues the steps of a phase; on the host backends they are done on return.
  virtual void run(Phase phase) = 0;
  // The PCG loop: Direction, Apply, Update and every reset_period-th time the reset phases, until
  // state.Stop or until interrupted. The caller has run Damp. The base implementation is a host
  // loop that reads the state after every iteration.
  virtual void run_linear_loop(const LinearLoop& loop);

  virtual SolverState read_state() = 0;
  virtual void write_state(const SolverState& state) = 0;
  // A program buffer's contents, for tests and diagnosis: its views one after the other, each plain
  // (vector_layout.h), however they lie in memory.
  virtual std::vector<double> read_buffer(std::size_t buffer) = 0;
  virtual void write_buffer(std::size_t buffer, const std::vector<double>& values) = 0;

  virtual void synchronize() {}
  virtual std::vector<PhaseTiming> timing() const = 0;
  virtual void reset_timing() = 0;
  virtual const std::vector<CompiledKernel>& kernels() const = 0;
  virtual const GeneratedProgram& generated() const = 0;
  const KernelProgram& program() const { return generated().program; }

 private:
  // bind() of what is valid.
  virtual Expected<void> bind_valid(const Binding& binding) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<DeviceInfo> devices() const = 0;
  // Can programs be computed in float? Else all are computed in double, whatever is asked for.
  virtual bool has_float() const { return true; }
  // May several threads run one executable each at the same time? (All may compile.)
  virtual bool runs_concurrently() const { return false; }
  virtual Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                        const CompileOptions& options) = 0;
};

// Each says in one sentence why it is not available on this machine.
Expected<std::unique_ptr<Backend>> make_interpreter_backend();
Expected<std::unique_ptr<Backend>> make_cpu_backend();
Expected<std::unique_ptr<Backend>> make_cuda_backend();

// "auto" = cuda, else cpu, else interpreter; the reasons for what was passed over are logged once.
Expected<std::unique_ptr<Backend>> make_backend(std::string_view name);

}  // namespace thallo
