// Loads the energy texts for kernels of any size. Which pixels a residual reads is fixed when its
// text is loaded, hence also how far the kernel reaches. The texts have one line for it, `local
// center = 7`, which is right for the published size.
#pragma once

#include <filesystem>

#include "core/base/diagnostic.h"
#include "core/frontend/energy_file.h"

namespace thallo::deconvolution {

// The text with the center of a kernel of `kernel_size` (odd) pixels in that line.
Expected<EnergyFile> load_centered(const std::filesystem::path& path, int kernel_size);

}  // namespace thallo::deconvolution
