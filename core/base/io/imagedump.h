// The raw image files of the published examples: int32 width, height, channels, type (0 float,
// 1 uint8), then the samples, row-major, channels interleaved. Bytes are read as 0 ... 255.
#pragma once

#include <filesystem>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

enum class ImageDumpType { Float = 0, Uint8 = 1 };

Expected<Image> read_imagedump(const std::filesystem::path& path);
// For Uint8, samples are rounded and clamped to 0 ... 255.
Expected<void> write_imagedump(const std::filesystem::path& path, const Image& image,
                               ImageDumpType type = ImageDumpType::Float);

}  // namespace thallo
