// The CUDA backend, on one of the devices that CUDA_VISIBLE_DEVICES leaves. make_cuda_backend()
// makes the device's context, so that this time (about 0.2 s) does not count as compiling.

#include <utility>

#include <fmt/format.h>

#include "core/backend/backend.h"
#include "core/backend/cuda/calibrate.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/device_arrays.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/executable.h"

namespace thallo {
namespace {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(std::shared_ptr<const cuda::Device> device)
      : device_(std::move(device)), arrays_(device_) {}
  std::string_view name() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() const override { return cuda::list_devices(); }
  DeviceInfo device() const override { return device_->info(); }
  std::string signature() const override {
    return fmt::format("{}, {}", device_->identity(), cuda::nvrtc_version());
  }
  DeviceArrays* device_arrays() override { return &arrays_; }
  Expected<DeviceSpec> calibrate() override { return cuda::calibrate(*device_, signature()); }
  Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                const CompileOptions& options) override {
    return cuda::CudaExecutable::compile(device_, std::move(program), options);
  }

 private:
  std::shared_ptr<const cuda::Device> device_;
  cuda::CudaDeviceArrays arrays_;
};

}  // namespace

Expected<std::unique_ptr<Backend>> make_cuda_backend(int ordinal) {
  if (const auto library = cuda::find_driver(); !library) return fail(library.error());
  if (const auto library = cuda::find_nvrtc(); !library) return fail(library.error());
  auto device = cuda::Device::open(ordinal);
  if (!device) return fail(device.error());
  return std::make_unique<CudaBackend>(*std::move(device));
}

}  // namespace thallo
