// The raw image files of the published Thallo and Opt examples: int32 width, height, channels and
// type (0 float, 1 uint8), then the samples, row-major, channels interleaved. uint8 samples are
// read as 0 ... 255.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

enum class ImageDumpType { Float = 0, Uint8 = 1 };

// True if the content starts with a valid header and the samples fill the rest exactly.
bool is_imagedump(std::string_view content);
Expected<Image> parse_imagedump(const std::filesystem::path& name, std::string_view content);
// For Uint8, samples are rounded and clamped to 0 ... 255.
Expected<void> write_imagedump(const std::filesystem::path& path, const Image& image,
                               ImageDumpType type = ImageDumpType::Float);

}  // namespace thallo
