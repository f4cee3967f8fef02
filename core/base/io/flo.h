// Optical flow of the Middlebury benchmark (.flo): the number 202021.25, int32 width and height,
// then (u, v) of each pixel as floats, row-major from the top. Values beyond 1e9 mark unknown flow.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

inline constexpr float UnknownFlow = 1e9f;

bool is_flo(std::string_view content);
// Two channels, in pixels.
Expected<Image> parse_flo(const std::filesystem::path& name, std::string_view content);

Expected<void> write_flo(const std::filesystem::path& path, const Image& image);

}  // namespace thallo
