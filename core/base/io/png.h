// Reads and writes PNG: gray, gray with alpha, RGB, RGBA (1 to 4 channels of Image), 8 or 16 bits
// per sample. Palettes are expanded to RGB(A), samples with fewer bits to 8 bits. Samples are
// stored values, without gamma correction.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

enum class PngDepth { Bits8, Bits16 };

bool is_png(std::string_view content);
Expected<Image> parse_png(const std::filesystem::path& name, std::string_view content);

Expected<Image> read_png(const std::filesystem::path& path);
// Samples are clamped to [0, 1].
Expected<void> write_png(const std::filesystem::path& path, const Image& image,
                         PngDepth depth = PngDepth::Bits8);

}  // namespace thallo
