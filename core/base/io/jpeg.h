// Reads and writes JPEG: gray or RGB, 8 bits per sample. Samples are stored values, without gamma
// correction.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

bool is_jpeg(std::string_view content);
// Treats faults of which libjpeg only warns (truncated data, a damaged block) as errors.
Expected<Image> parse_jpeg(const std::filesystem::path& name, std::string_view content);

Expected<Image> read_jpeg(const std::filesystem::path& path);
// One or three channels; samples are clamped to [0, 1]. `quality` is 1 to 100.
Expected<void> write_jpeg(const std::filesystem::path& path, const Image& image, int quality = 95);

}  // namespace thallo
