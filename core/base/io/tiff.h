// Reads and writes TIFF, the first picture of a file: 1 to 64 channels of unsigned integers (8, 16
// or 32 bits; scaled so that 1 is the largest) or floats (32 or 64 bits; not scaled), in strips or
// tiles, with any compression that libtiff supports. Where libtiff cannot be opened
// (libtiff.h) they fail.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

bool is_tiff(std::string_view content);
// True if the samples are integers, which are read as 0 ... 1; false for content that is not a TIFF
// file.
bool has_integer_samples(std::string_view tiff);
Expected<Image> parse_tiff(const std::filesystem::path& name, std::string_view content);

Expected<Image> read_tiff(const std::filesystem::path& path);
// Writes 32-bit floats, so that nothing is lost.
Expected<void> write_tiff(const std::filesystem::path& path, const Image& image);

}  // namespace thallo
