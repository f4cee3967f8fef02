#include "core/base/io/imagedump.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"

namespace thallo {

Expected<Image> read_imagedump(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  ByteCursor cursor(path, *content);
  std::array<std::int32_t, 4> header{};
  if (!cursor.read_values(header))
    return fail(cursor.truncated("the header (width, height, channels, type)", sizeof(header)));
  const auto [width, height, channels, type] = header;
  if (width < 1 || height < 1 || width > MaxImageExtent || height > MaxImageExtent ||
      channels < 1 || channels > 64 || type < 0 || type > 1) {
    return fail_at({path},
                   "is not an imagedump: its header says {} x {} pixels, {} channels, type "
                   "{}; wanted are positive extents, 1 to 64 channels, type 0 (float) or 1 (uint8)",
                   width, height, channels, type);
  }
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                            static_cast<std::size_t>(channels);
  const std::size_t bytes = count * (type == 0 ? sizeof(float) : 1);
  if (cursor.remaining() < bytes) return fail(cursor.truncated("the samples", bytes));
  if (cursor.remaining() > bytes) {
    return fail_at({path}, "has {} bytes after its {} samples", cursor.remaining() - bytes, count);
  }
  Image image(width, height, channels);
  if (type == 0) {
    cursor.read_values(image.data);
  } else {
    std::vector<std::uint8_t> samples(count);
    cursor.read_values(samples);
    std::copy(samples.begin(), samples.end(), image.data.begin());
  }
  return image;
}

Expected<void> write_imagedump(const std::filesystem::path& path, const Image& image,
                               ImageDumpType type) {
  std::string content;
  for (const int value : {image.width, image.height, image.channels, static_cast<int>(type)})
    append_bytes(content, std::int32_t{value});
  if (type == ImageDumpType::Float) {
    append_bytes(content, std::span<const float>(image.data));
  } else {
    for (const float value : image.data) {
      const float clamped = value > 0.0f ? std::min(value, 255.0f) : 0.0f;
      append_bytes(content, static_cast<std::uint8_t>(std::lround(clamped)));
    }
  }
  return write_file(path, content);
}

}  // namespace thallo
