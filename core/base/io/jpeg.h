// Reads and writes JPEG: gray or RGB, 8 bits per sample; CMYK and YCCK are read as RGB. Samples are
// stored values, without gamma correction. Pictures are turned as their EXIF data say.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/raster.h"

namespace thallo {

bool is_jpeg(std::string_view content);
// Treats faults of which libjpeg only warns (truncated data, a damaged block) as errors.
Expected<Raster> parse_jpeg(const std::filesystem::path& name, std::string_view content);

// One or three channels; samples are clamped to [0, 1]. `quality` is 1 to 100.
Expected<void> write_jpeg(const std::filesystem::path& path, const Image& image, int quality = 95);

}  // namespace thallo
