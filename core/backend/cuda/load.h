#pragma once

// Loads a compiled text as a module of the device.

#include <string_view>

#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/device.h"

namespace thallo::cuda {

// Loads `image`, which was compiled from `source`. If the driver refuses an image from the cache
// (for example because the driver is older than the cubin), the source is compiled again, `image`
// becomes the new image, and a warning is logged, once per process. Throws DeviceError if the
// driver refuses a freshly compiled image.
Expected<Module> load_module(const Source& source, std::string_view architecture,
                             CachedImage& image);
// Compiles a text and loads it.
Expected<Module> compile_and_load(const Source& source, const Device& device);

}  // namespace thallo::cuda
