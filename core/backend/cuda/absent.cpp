// Replaces this folder when Thallo is built without CUDA's headers: every entry fails and says why.

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/precompile.h"
#include "core/base/error.h"

namespace thallo {
namespace {

tl::unexpected<Diagnostic> absent() {
  return fail(
      "this thallo was built without CUDA: its headers (cuda.h, nvrtc.h, cublas_v2.h, cusparse.h) "
      "were not there, or THALLO_WITH_CUDA was OFF");
}

}  // namespace

Expected<std::unique_ptr<Backend>> make_cuda_backend(int) { return absent(); }
Expected<std::unique_ptr<Precompiler>> make_cuda_precompiler(std::string_view) { return absent(); }

namespace cuda {

Expected<void> check_arguments(const KernelProgram&, const KernelCode&) { return absent(); }
Expected<Image> compile_to_cubin(const Source&, std::string_view) { return absent(); }
Expected<Image> compile_to_ptx(const Source&, std::string_view) { return absent(); }
Expected<std::vector<CachedImage>> compile_all(std::span<const Source>, std::string_view, int,
                                               const std::stop_token&, const ImageDone&) {
  return absent();
}
Expected<CachedImage> compile_anew(const Source&, std::string_view) { return absent(); }
CacheKey cache_key(const Source&, std::string_view) { throw DeviceError("NVRTC", "it is absent"); }

}  // namespace cuda
}  // namespace thallo
