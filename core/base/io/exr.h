// Reads and writes OpenEXR; samples are numbers and not scaled. Each part of the file is a layer.
// Its channels are R, G, B, A and Y, if present, then all others sorted by name; names are those of
// the file without the name of the part. Deep parts and parts with subsampled channels cannot be
// read. The picture is the data window.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/raster.h"

namespace thallo {

bool is_exr(std::string_view content);
Expected<Raster> parse_exr(const std::filesystem::path& name, std::string_view content);

// Writes 32-bit floats. One channel is named Y, two R G, three R G B and four R G B A; more are
// named C00, C01, ...
Expected<void> write_exr(const std::filesystem::path& path, const Image& image);

}  // namespace thallo
