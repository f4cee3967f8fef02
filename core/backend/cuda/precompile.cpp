// Fills the cache for a CUDA device that need not be present: NVRTC needs only its architecture.

#include "core/backend/precompile.h"

#include <string>
#include <utility>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/sources.h"

namespace thallo {
namespace {

class CudaPrecompiler final : public Precompiler {
 public:
  explicit CudaPrecompiler(std::string architecture) : architecture_(std::move(architecture)) {}

  // Compiles for 32-bit indices, as CudaExecutable always does, and for 64-bit indices if they are
  // needed.
  Expected<std::vector<CompiledKernel>> compile(const GeneratedProgram& generated,
                                                const CompileOptions& options,
                                                const KernelCompiled& compiled) const override {
    for (const KernelCode& code : generated.codes) {
      THALLO_CHECK(cuda::check_arguments(generated.program, code));
    }
    const bool is_wide = options.index_bits == 64;
    auto records = compile(generated, options, 32, is_wide ? KernelCompiled() : compiled);
    if (!records || !is_wide) return records;
    return compile(generated, options, 64, compiled);
  }

 private:
  Expected<std::vector<CompiledKernel>> compile(const GeneratedProgram& generated,
                                                const CompileOptions& options, int index_bits,
                                                const KernelCompiled& compiled) const {
    const std::vector<cuda::Source> sources = cuda::program_sources(generated, options, index_bits);
    // The last text may be the dense solver's or multigrid's, which is no kernel of the program.
    const auto done = [&](std::size_t i, const cuda::CachedImage& image) {
      if (!compiled || i >= generated.codes.size()) return;
      compiled(i, cuda::record_of(generated.codes[i], sources[i], image));
    };
    THALLO_TRY(const auto images, cuda::compile_all(sources, architecture_, options.compile_threads,
                                                    options.stop, done));
    std::vector<CompiledKernel> records;
    for (std::size_t i = 0; i < generated.codes.size(); ++i) {
      records.push_back(cuda::record_of(generated.codes[i], sources[i], images[i]));
    }
    return records;
  }

  std::string architecture_;
};

}  // namespace

Expected<std::unique_ptr<Precompiler>> make_cuda_precompiler(std::string_view architecture) {
  if (const auto library = cuda::find_nvrtc(); !library) return fail(library.error());
  std::string target(architecture);
  if (target.empty()) {
    if (const auto library = cuda::find_driver(); !library) {
      return fail("{}; name the architecture of the device, for example sm_90",
                  library.error().what);
    }
    target = cuda::list_devices().front().architecture;
  }
  return std::make_unique<CudaPrecompiler>(std::move(target));
}

}  // namespace thallo
