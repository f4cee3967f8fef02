// Reads and writes PNG: gray, gray with alpha, RGB, RGBA, palettes, 1 to 16 bits per sample.
// Samples are stored values, without gamma correction. Pictures are turned as their EXIF data say.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/raster.h"

namespace thallo {

bool is_png(std::string_view content);
Expected<Raster> parse_png(const std::filesystem::path& name, std::string_view content);

// Samples are clamped to [0, 1]. They have 16 bits if `full_scale` is more than 255, else 8.
Expected<void> write_png(const std::filesystem::path& path, const Image& image,
                         int full_scale = 255);

}  // namespace thallo
