// Reads portable gray and pixel maps, P2, P3 (text) and P5, P6 (binary, 8 or 16 bits); writes P5 or
// P6.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/raster.h"

namespace thallo {

bool is_pnm(std::string_view content);
Expected<Raster> parse_pnm(const std::filesystem::path& name, std::string_view content);

// One channel gives a pgm, three a ppm. Samples are clamped to [0, 1]; `full_scale`, 1 to 65535, is
// the largest that is stored.
Expected<void> write_pnm(const std::filesystem::path& path, const Image& image,
                         int full_scale = 255);

}  // namespace thallo
