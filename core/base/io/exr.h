// Reads and writes OpenEXR; samples are floats and not scaled. Reading takes the first part of the
// file: its channels R, G, B, A and Y, if present, then all others sorted by name. Half floats and
// integers are converted to floats. Subsampled channels are rejected. The picture is the data
// window.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

bool is_exr(std::string_view content);
Expected<Image> parse_exr(const std::filesystem::path& name, std::string_view content);

Expected<Image> read_exr(const std::filesystem::path& path);
// Writes 32-bit floats. One channel is named Y, two R G, three R G B and four R G B A; more are
// named C00, C01, ...
Expected<void> write_exr(const std::filesystem::path& path, const Image& image);

}  // namespace thallo
