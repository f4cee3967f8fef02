// Reads and writes TIFF. Each page is a layer: 1 to 64 channels of unsigned integers (1 to 32
// bits), signed ones (8 to 32 bits) or floats (16 to 64 bits), black is zero or white is zero, RGB,
// CMYK or a palette, in strips or tiles, with any compression that libtiff supports. Pages are
// turned as their tag Orientation says; those that are smaller copies of others, or masks, are left
// out. Where libtiff cannot be opened (libtiff.h) reading and writing fail.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/raster.h"

namespace thallo {

bool is_tiff(std::string_view content);
Expected<Raster> parse_tiff(const std::filesystem::path& name, std::string_view content);

// Writes 32-bit floats, so that nothing is lost.
Expected<void> write_tiff(const std::filesystem::path& path, std::span<const Image> pages);

}  // namespace thallo
