#pragma once

// Backends run generated programs (core/kernel/generate.h). A Backend compiles a program once
// (sizes are not compiled in). The Executable that it returns is bound to the data of an instance,
// as often as wanted, and runs phases. The solver sees only the Executable.
//
// Three implementations: `interpreter` (double, no compiler: the test oracle of lowering), `cpu`
// (emitted C, host compiler), `cuda` (NVRTC).

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/memory_limit.h"
#include "core/backend/step_info.h"
#include "core/base/diagnostic.h"
#include "core/cost/device_spec.h"
#include "core/energy/binding.h"
#include "core/kernel/generate.h"
#include "core/kernel/state.h"
#include "core/schedule/precision.h"

namespace thallo {

class StepBench;

struct DeviceInfo {
  std::string name;
  std::string architecture;  // "x86_64", "sm_90"
  std::int64_t memory_bytes = 0;
  int num_units = 0;  // cores or multiprocessors
};

struct CompileOptions {
  Precision precision = Precision::Float;
  int num_threads = 0;      // host threads (cpu); 0 = all
  int compile_threads = 0;  // host threads that compile kernels; 0 = all
  int block_size = 256;     // cuda
  int index_bits = 0;       // 64 forces wide indices; 0 = as the sizes need
  // The bytes that stored J, JtJ and Jp may take; bind() fails for a schedule that stores more.
  std::int64_t memory_limit = DefaultMemoryLimit;
  // When it is requested, compiling fails soon: a host compiler is killed, NVRTC finishes the
  // kernels that it is at.
  std::stop_token stop = {};
  // solve_problem() (core/problem/driver.h) requests such a stop itself after so long; 0 = never.
  double time_limit_seconds = 0;
  // Told how many of the kernels to compile are done: when compiling begins, and of each. Calls
  // come one at a time, from any thread.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// One generated kernel as it was compiled.
struct CompiledKernel {
  std::string role;
  std::string label;
  std::string source;  // emitted text (empty for the interpreter)
  std::string key;     // canonical key, hex
  bool from_cache = false;
  double compile_seconds = 0;
  std::string warnings;  // of the compiler (cuda); empty when the kernel came from the cache
  int registers = 0;     // of a thread (cuda); 0: not known
  int spill_bytes = 0;   // local memory of a thread (cuda): spilled registers and indexed arrays
  int shared_bytes = 0;  // of a block (cuda), without what a launch adds
};

// What a phase has taken since bind() or reset_timing().
struct PhaseTiming {
  Phase phase;
  std::int64_t launches = 0;
  double seconds = 0;
};

struct LinearLoop {
  int max_iterations = 0;
  int reset_period = 0;  // 0 = never
  // Returns true when the caller no longer wants the remaining iterations; empty: it wants them
  // all. The thread that called run_linear_loop() asks now and then between iterations. When the
  // whole loop runs on the device, it asks while read_state() waits for the loop. What the loop has
  // found so far stays.
  std::function<bool()> is_interrupted = {};
};

class Executable {
 public:
  virtual ~Executable() = default;

  // Allocates memory for the extents of the binding and uploads everything. A second bind with
  // other extents compiles nothing new while the index width stays the same. Fails when the binding
  // lacks something or holds values that no kernel may see (Binding::validate), and when the data
  // do not fit in memory or within the memory limit (names the bytes).
  Expected<void> bind(const Binding& binding);
  // Uploads one field again after the Binding changed (same extents).
  virtual Expected<void> upload(const Binding& binding, FieldId field) = 0;
  // Copies the current unknowns into the binding's fields.
  virtual void download_unknowns(Binding& binding) = 0;

  // Enqueues the steps of a phase; on the host backends they are done on return.
  virtual void run(Phase phase) = 0;
  // Runs the PCG loop: Direction, Apply, Update and, after every reset_period-th iteration, the
  // reset phases. Ends after max_iterations, at state.Stop or when interrupted. The caller has run
  // Damp. The base implementation is a host loop that reads the state after every iteration.
  virtual void run_linear_loop(const LinearLoop& loop);

  virtual SolverState read_state() = 0;
  virtual void write_state(const SolverState& state) = 0;
  // The contents of a program buffer, for tests and diagnosis: its views one after the other, each
  // in the plain layout whatever its layout in memory is (core/kernel/vector_layout.h).
  virtual std::vector<double> read_buffer(std::size_t buffer) = 0;
  virtual void write_buffer(std::size_t buffer, const std::vector<double>& values) = 0;

  virtual void synchronize() {}
  virtual std::vector<PhaseTiming> timing() const = 0;
  virtual void reset_timing() = 0;
  virtual const std::vector<CompiledKernel>& kernels() const = 0;
  virtual const GeneratedProgram& generated() const = 0;
  const KernelProgram& program() const { return generated().program; }

  // What follows is of the bound instance.
  virtual const ProgramSizes& sizes() const = 0;
  // The type of a buffer's scalars in memory, never Working.
  virtual ScalarType buffer_type(std::size_t buffer) const = 0;
  // As many as program().steps(phase), in their order.
  std::vector<StepInfo> steps(Phase phase) const;
  // For time_steps() (step_timing.h). Fails when memory is short.
  virtual Expected<std::unique_ptr<StepBench>> make_step_bench() = 0;

 private:
  // bind() after the binding was found valid.
  virtual Expected<void> bind_valid(const Binding& binding) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // All devices that this kind of backend can run on, by ordinal.
  virtual std::vector<DeviceInfo> devices() const = 0;
  // The one that this backend runs on.
  virtual DeviceInfo device() const { return devices().front(); }
  // Of the device that this one runs on and of what compiles for it: where it is the same, programs
  // take the same time. One line.
  virtual std::string signature() const = 0;
  // Measures what the device reaches, in about a second. Fails when memory is short.
  virtual Expected<DeviceSpec> calibrate() = 0;
  // Can programs be computed in float? If not, all are computed in double whatever the options say.
  virtual bool has_float() const { return true; }
  // May several threads run one executable each at the same time? (They may always compile at the
  // same time.)
  virtual bool runs_concurrently() const { return false; }
  virtual Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                        const CompileOptions& options) = 0;
};

// Each fails, with one sentence that says why, when the backend is not available on this machine or
// has no device of that ordinal.
Expected<std::unique_ptr<Backend>> make_interpreter_backend(int ordinal = 0);
Expected<std::unique_ptr<Backend>> make_cpu_backend(int ordinal = 0);
Expected<std::unique_ptr<Backend>> make_cuda_backend(int ordinal = 0);

// The names of backends, the fastest first.
std::vector<std::string> backend_names();
// Fails unless the name is one of these or "auto"; the message has the nearest.
Expected<void> check_backend_name(std::string_view name);

// Makes the backend of a name, or for "auto" the first of backend_names() that is available; why
// others were passed over is logged once. Ordinals other than 0 are devices of cuda alone, which
// "auto" then means.
Expected<std::unique_ptr<Backend>> make_backend(std::string_view name, int ordinal = 0);

// Fails unless there is a device of that ordinal; the message lists those that there are.
Expected<void> check_ordinal(std::string_view backend, int ordinal,
                             const std::vector<DeviceInfo>& devices);

}  // namespace thallo
