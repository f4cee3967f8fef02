// Portable float maps: one (Pf) or three (PF) channels of 32-bit floats. The file stores rows from
// the bottom; Image has them from the top. The scale of the header gives the byte order only.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

bool is_pfm(std::string_view content);
Expected<Image> parse_pfm(const std::filesystem::path& name, std::string_view content);

Expected<void> write_pfm(const std::filesystem::path& path, const Image& image);

}  // namespace thallo
