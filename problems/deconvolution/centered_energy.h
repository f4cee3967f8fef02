// The energy texts for kernels of any size. What a text reads is fixed when it is loaded, and so is
// how far its kernel reaches: the texts have one line for it, `local center = 7`, which is right
// for the published size.
#pragma once

#include <filesystem>

#include "core/base/diagnostic.h"
#include "core/language/energy_file.h"

namespace thallo::deconvolution {

// The text with the center of a kernel of `kernel_size` (odd) pixels in that line.
Expected<EnergyFile> load_centered(const std::filesystem::path& path, int kernel_size);

}  // namespace thallo::deconvolution
