#include "core/backend/cuda/load.h"

#include <mutex>

#include "core/base/error.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

void say_refused_once(const Source& source, const DeviceError& why) {
  static std::once_flag said;
  std::call_once(said, [&] {
    logger("cuda").warn("the driver refuses the cached kernel '{}', it is compiled again: {}",
                        source.name, why.what());
  });
}

}  // namespace

Expected<Module> load_module(const Source& source, std::string_view architecture,
                             CachedImage& image) {
  if (image.from_cache) {
    try {
      return Module(image.bytes);
    } catch (const DeviceError& refused) {
      say_refused_once(source, refused);
    }
    THALLO_TRY(image, compile_anew(source, architecture));
  }
  return Module(image.bytes);
}

Expected<Module> compile_and_load(const Source& source, const Device& device) {
  THALLO_TRY(auto images, compile_all({&source, 1}, device.info().architecture));
  return load_module(source, device.info().architecture, images.front());
}

}  // namespace thallo::cuda
