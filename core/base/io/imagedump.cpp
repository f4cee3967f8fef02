#include "core/base/io/imagedump.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"

namespace thallo {

namespace {

struct DumpHeader {
  std::int32_t width = 0, height = 0, channels = 0, type = 0;

  bool valid() const {
    return width >= 1 && height >= 1 && width <= MaxImageExtent && height <= MaxImageExtent &&
           channels >= 1 && channels <= 64 && (type == 0 || type == 1);
  }
  std::size_t num_samples() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(channels);
  }
  std::size_t num_bytes() const { return num_samples() * (type == 0 ? sizeof(float) : 1); }
};

bool read_header(ByteCursor& cursor, DumpHeader& header) {
  return cursor.remaining() >= sizeof(header) && cursor.read(header.width) &&
         cursor.read(header.height) && cursor.read(header.channels) && cursor.read(header.type);
}

}  // namespace

bool is_imagedump(std::string_view content) {
  ByteCursor cursor("", content);
  DumpHeader header;
  return read_header(cursor, header) && header.valid() && header.num_bytes() == cursor.remaining();
}

Expected<Image> parse_imagedump(const std::filesystem::path& name, std::string_view content) {
  ByteCursor cursor(name, content);
  DumpHeader header;
  if (!read_header(cursor, header))
    return fail(cursor.truncated("the header (width, height, channels, type)", sizeof(header)));
  if (!header.valid()) {
    return fail_at({name},
                   "is not an imagedump: its header says {} x {} pixels, {} channels, type "
                   "{}; wanted are positive extents, 1 to 64 channels, type 0 (float) or 1 (uint8)",
                   header.width, header.height, header.channels, header.type);
  }
  const std::size_t count = header.num_samples();
  const std::size_t bytes = header.num_bytes();
  if (cursor.remaining() < bytes) return fail(cursor.truncated("the samples", bytes));
  if (cursor.remaining() > bytes) {
    return fail_at({name}, "has {} bytes after its {} samples", cursor.remaining() - bytes, count);
  }
  Image image(header.width, header.height, header.channels);
  if (header.type == 0) {
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
