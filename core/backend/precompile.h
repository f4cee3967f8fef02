#pragma once

// Compiles programs ahead, on any number of threads, for a device that may be elsewhere: what
// Backend::compile() would compile is put into the cache on disk (kernel_cache.h) and nothing is
// loaded, so that a later compile() with equal options finds all of it there.

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"

namespace thallo {

// Told of a kernel as soon as it is compiled, by its position in the program. Calls come one at a
// time, from any of the threads that compile.
using KernelCompiled = std::function<void(std::size_t kernel, const CompiledKernel& record)>;

class Precompiler {
 public:
  virtual ~Precompiler() = default;
  // One record a kernel, in the order of the program's. May be called by several threads at once.
  // Fails as Backend::compile() does when a kernel does not compile.
  virtual Expected<std::vector<CompiledKernel>> compile(
      const GeneratedProgram& program, const CompileOptions& options,
      const KernelCompiled& compiled = {}) const = 0;
};

// For backend "cuda" or "cpu". `architecture` is that of the device the kernels are for, "sm_90";
// empty: of the first device here. The cpu backend compiles for this machine alone. Fails, with one
// sentence that says why, when there is no compiler, no such device, or no cache.
Expected<std::unique_ptr<Precompiler>> make_precompiler(std::string_view backend,
                                                        std::string_view architecture = {});

Expected<std::unique_ptr<Precompiler>> make_cpu_precompiler(std::string_view architecture);
Expected<std::unique_ptr<Precompiler>> make_cuda_precompiler(std::string_view architecture);

}  // namespace thallo
