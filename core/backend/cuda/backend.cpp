// The CUDA backend: the first device that CUDA_VISIBLE_DEVICES leaves. Its context is made with the
// first program, so that asking for the backend and listing devices cost little.

#include <mutex>
#include <utility>

#include "core/backend/backend.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/executable.h"

namespace thallo {
namespace {

class CudaBackend final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() const override { return cuda::list_devices(); }
  Expected<std::unique_ptr<Executable>> compile(KernelProgram program,
                                                const CompileOptions& options) override {
    return cuda::CudaExecutable::compile(device(), std::move(program), options);
  }

 private:
  std::shared_ptr<const cuda::Device> device() {
    const std::lock_guard lock(mutex_);
    if (device_ == nullptr) device_ = std::make_shared<const cuda::Device>(0);
    return device_;
  }

  std::mutex mutex_;
  std::shared_ptr<const cuda::Device> device_;
};

}  // namespace

Expected<std::unique_ptr<Backend>> make_cuda_backend() {
  if (const auto library = cuda::find_driver(); !library) return fail(library.error());
  if (const auto library = cuda::find_nvrtc(); !library) return fail(library.error());
  return std::make_unique<CudaBackend>();
}

}  // namespace thallo
