#include "core/backend/precompile.h"

#include <string>

#include <fmt/format.h>

#include "core/backend/kernel_cache.h"
#include "core/base/suggest.h"

namespace thallo {

Expected<std::unique_ptr<Precompiler>> make_precompiler(std::string_view backend,
                                                        std::string_view architecture) {
  if (KernelCache::open().folder().empty()) {
    return fail("compiled kernels are not kept (kernel_cache.h): set THALLO_CACHE_DIR to a folder");
  }
  if (backend == "cuda") return make_cuda_precompiler(architecture);
  if (backend == "cpu") return make_cpu_precompiler(architecture);
  const std::vector<std::string> names = {"cpu", "cuda"};
  return fail(Diagnostic{
      fmt::format("no backend '{}' that compiles kernels{}", backend, did_you_mean(backend, names)),
      {},
      names});
}

}  // namespace thallo
