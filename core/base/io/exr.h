// OpenEXR in and out: floats as they are. The channels of the first part are R G B A Y, as far as
// they are there, and then all others in the order of their names; half floats and integers become
// floats. Subsampled channels are refused. The picture is the data window.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

bool is_exr(std::string_view content);
Expected<Image> parse_exr(const std::filesystem::path& name, std::string_view content);

Expected<Image> read_exr(const std::filesystem::path& path);
// As 32-bit floats; the channels are Y, R G, R G B, R G B A, or C00, C01 ... for more of them.
Expected<void> write_exr(const std::filesystem::path& path, const Image& image);

}  // namespace thallo
