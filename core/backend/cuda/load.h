#pragma once

// From a compiled text to a module on the device.

#include <string_view>

#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/device.h"

namespace thallo::cuda {

// Loads `image`, made of `source`. One from the cache that the driver does not take (it is older
// than the cubin, or another one) is compiled again, which is said once; `image` is then the new
// one. A DeviceError where it does not take that either.
Expected<Module> load_module(const Source& source, std::string_view architecture,
                             CachedImage& image);

}  // namespace thallo::cuda
