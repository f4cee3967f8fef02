#pragma once

// Compiles programs ahead of time, on any number of threads, for a device that may be elsewhere.
// What Backend::compile() would compile is put into the cache on disk (kernel_cache.h) and nothing
// is loaded. A later compile() with equal options then finds everything in the cache.

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"

namespace thallo {

// Called with a kernel's position in the program as soon as it is compiled. Calls may come from any
// of the compiling threads, one at a time.
using KernelCompiled = std::function<void(std::size_t kernel, const CompiledKernel& record)>;

class Precompiler {
 public:
  virtual ~Precompiler() = default;
  // Returns one record for each kernel, in the program's order. May be called by several threads at
  // once. Fails like Backend::compile() if a kernel does not compile.
  virtual Expected<std::vector<CompiledKernel>> compile(
      const GeneratedProgram& program, const CompileOptions& options,
      const KernelCompiled& compiled = {}) const = 0;
};

// Makes a precompiler for backend "cuda" or "cpu". `architecture` is the target device's, for
// example "sm_90"; if empty, that of the first device of this machine. The cpu backend compiles for
// this machine only. Fails with a one-sentence reason if there is no compiler, no such device, or
// no cache.
Expected<std::unique_ptr<Precompiler>> make_precompiler(std::string_view backend,
                                                        std::string_view architecture = {});

Expected<std::unique_ptr<Precompiler>> make_cpu_precompiler(std::string_view architecture);
Expected<std::unique_ptr<Precompiler>> make_cuda_precompiler(std::string_view architecture);

}  // namespace thallo
