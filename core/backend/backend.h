#pragma once

// Backends run generated programs (core/kernel/generate.h). A Backend compiles a program once; the
// sizes are not compiled in. The resulting Executable is bound to the data of an instance, any
// number of times, and runs phases. The solver uses only the Executable.
//
// Three implementations: `interpreter` (double, no compiler: the test oracle of lowering), `cpu`
// (emitted C, host compiler), `cuda` (NVRTC).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/device_arrays.h"
#include "core/backend/memory_limit.h"
#include "core/backend/phase_runner.h"
#include "core/backend/step_info.h"
#include "core/base/diagnostic.h"
#include "core/cost/device/device_spec.h"
#include "core/energy/binding.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"

namespace thallo {

class StepBench;

struct DeviceInfo {
  std::string name;
  std::string architecture;  // "x86_64", "sm_90"
  std::int64_t memory_bytes = 0;
  int num_units = 0;      // cores or multiprocessors
  std::string uuid = {};  // hexadecimal, of this very device; empty if it has none
};

struct CompileOptions {
  Precision precision = Precision::Float;
  int num_threads = 0;      // host threads (cpu); 0 = all
  int compile_threads = 0;  // host threads that compile kernels; 0 = all
  int block_size = 256;     // cuda
  int index_bits = 0;       // 64 forces wide indices; 0 = as the sizes require
  // Limits the bytes of the stored J, JtJ and Jp. For a schedule that stores more, bind() fails.
  std::int64_t memory_limit = DefaultMemoryLimit;
  // When this stop is requested, compiling fails soon: a host compiler is killed, whereas NVRTC
  // finishes the kernels that it is compiling.
  std::stop_token stop = {};
  // After this time, solve_problem() (core/problem/driver.h) requests such a stop itself; 0 =
  // never.
  double time_limit_seconds = 0;
  // Progress callback: called with done = 0 when compiling begins, then after each kernel. Calls
  // may come from any thread, but only one at a time.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// A generated kernel after compilation.
struct CompiledKernel {
  std::string role;
  std::string label;
  std::string source;  // emitted text (empty for the interpreter)
  std::string key;     // canonical key, hex
  bool from_cache = false;
  double compile_seconds = 0;
  std::string warnings;  // of the compiler (cuda); empty if the kernel was cached
  int registers = 0;     // per thread (cuda); 0 if unknown
  int spill_bytes = 0;   // local memory per thread (cuda): spilled registers, indexed arrays
  int shared_bytes = 0;  // per block (cuda), without what a launch adds
};

// The time that a phase took since bind() or reset_timing().
struct PhaseTiming {
  Phase phase;
  std::int64_t launches = 0;
  double seconds = 0;
};

class Executable : public PhaseRunner {
 public:
  // Allocates memory for the extents of the binding and uploads everything. Binding other extents
  // compiles nothing as long as the index width stays the same. Fails if the binding lacks
  // something or holds values that no kernel may see (Binding::validate), or if the data exceed the
  // memory or the memory limit; the message states the bytes. Values that were bound before are
  // not uploaded again if they are an array on the device, or a map at the same address.
  Expected<void> bind(const Binding& binding);
  // Uploads a field again after the Binding changed; extents must be unchanged.
  virtual Expected<void> upload(const Binding& binding, FieldId field) = 0;
  // Copies the current unknowns into the binding's fields, also those on a device.
  virtual void download_unknowns(Binding& binding) = 0;

  std::size_t num_states() const final;
  // The only state. Of a batch, that of its first member is read, and those of all are written.
  SolverState read_state();
  void write_state(const SolverState& state);
  // Returns the contents of a program buffer, for tests and diagnosis: its views one after the
  // other, each in the plain layout whatever its layout in memory (core/kernel/vector_layout.h).
  virtual std::vector<double> read_buffer(std::size_t buffer) = 0;
  virtual void write_buffer(std::size_t buffer, const std::vector<double>& values) = 0;

  virtual void synchronize() {}
  // Returns how many threads of the host compute.
  virtual int num_threads() const { return 1; }
  // Returns the bytes of fields and sparse maps that were copied between the host and a device
  // since the program was compiled.
  virtual std::int64_t bytes_moved() const { return 0; }
  virtual std::vector<PhaseTiming> timing() const = 0;
  virtual void reset_timing() = 0;
  virtual const std::vector<CompiledKernel>& kernels() const = 0;
  virtual const GeneratedProgram& generated() const = 0;
  const KernelProgram& program() const { return generated().program; }

  // The functions below refer to the bound instance.
  virtual const ProgramSizes& sizes() const = 0;
  // Returns the type of a buffer's scalars in memory; never Working.
  virtual ScalarType buffer_type(std::size_t buffer) const = 0;
  // Returns as many entries as program().steps(phase), in the same order.
  std::vector<StepInfo> steps(Phase phase) const;
  // Makes a bench for time_steps() (step_timing.h). Fails if memory is short.
  virtual Expected<std::unique_ptr<StepBench>> make_step_bench() = 0;

 private:
  // Implements bind(), after the binding was validated.
  virtual Expected<void> bind_valid(const Binding& binding) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Returns all devices that this kind of backend can run on, by ordinal.
  virtual std::vector<DeviceInfo> devices() const = 0;
  // Returns the device that this backend runs on.
  virtual DeviceInfo device() const { return devices().front(); }
  // Identifies the device and its compiler, on one line. Programs take the same time wherever the
  // signature is equal.
  virtual std::string signature() const = 0;
  // Names the compiler of kernels and the file that it is in; empty if kernels are not compiled.
  virtual std::string compiler() const { return ""; }
  // Measures the rates and costs of the device, in about a second. Fails if memory is short.
  virtual Expected<DeviceSpec> calibrate() = 0;
  // True if programs can compute in float. Otherwise all programs compute in double, whatever the
  // options say.
  virtual bool has_float() const { return true; }
  // Null if programs compute on the host, and take no arrays of a device.
  virtual DeviceArrays* device_arrays() { return nullptr; }
  // True if several threads may run one executable each at the same time. (They may always compile
  // at the same time.)
  virtual bool runs_concurrently() const { return false; }
  virtual Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                        const CompileOptions& options) = 0;
};

// Each function fails with a one-sentence reason if the backend is not available on this machine or
// has no device with that ordinal.
Expected<std::unique_ptr<Backend>> make_interpreter_backend(int ordinal = 0);
Expected<std::unique_ptr<Backend>> make_cpu_backend(int ordinal = 0);
Expected<std::unique_ptr<Backend>> make_cuda_backend(int ordinal = 0);

// Returns the names of all backends, the fastest first.
std::vector<std::string> backend_names();
// Fails unless the name is one of these or "auto"; the message suggests the nearest.
Expected<void> check_backend_name(std::string_view name);

// Makes the backend with this name or, for "auto", the first of backend_names() that is available.
// The reasons why others were skipped are logged once. Only cuda has devices with ordinals other
// than 0, so "auto" with such an ordinal means cuda.
Expected<std::unique_ptr<Backend>> make_backend(std::string_view name, int ordinal = 0);

// Fails unless there is a device with this ordinal; the message lists the devices.
Expected<void> check_ordinal(std::string_view backend, int ordinal,
                             const std::vector<DeviceInfo>& devices);

}  // namespace thallo
