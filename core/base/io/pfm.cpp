#include "core/base/io/pfm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {

bool is_pfm(std::string_view content) {
  return content.starts_with("Pf") || content.starts_with("PF");
}

Expected<Image> parse_pfm(const std::filesystem::path& name, std::string_view content) {
  if (!is_pfm(content)) return fail_at({name}, "is not a PFM file (Pf or PF)");
  const int channels = content[1] == 'F' ? 3 : 1;
  TextCursor header(name, content);
  header.word();
  int width = 0;
  int height = 0;
  double scale = 0.0;
  if (!header.read(width)) return fail(header.unexpected("the width"));
  if (!header.read(height)) return fail(header.unexpected("the height"));
  if (!header.read(scale)) return fail(header.unexpected("the scale"));
  if (width < 1 || height < 1 || width > MaxImageExtent || height > MaxImageExtent) {
    return fail_at(header.where(), "the image is {} x {}, but extents must be 1 to {}", width,
                   height, MaxImageExtent);
  }
  ByteCursor cursor(name, content, std::min(header.offset() + 1, content.size()));
  const std::size_t row = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  const std::size_t bytes = row * static_cast<std::size_t>(height) * sizeof(float);
  if (cursor.remaining() < bytes) return fail(cursor.truncated("the pixels", bytes));

  Image image(width, height, channels);
  for (int y = height - 1; y >= 0; --y) {
    cursor.read_values(std::span(image.data).subspan(image.index(0, y), row));
  }
  if (!std::signbit(scale)) {  // big-endian
    for (float& value : image.data) {
      value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
    }
  }
  return image;
}

Expected<void> write_pfm(const std::filesystem::path& path, const Image& image) {
  if (image.channels != 1 && image.channels != 3) {
    return fail_at({path}, "cannot be written: a PFM has 1 or 3 channels, this image has {}",
                   image.channels);
  }
  std::string content =
      fmt::format("P{}\n{} {}\n-1.0\n", image.channels == 1 ? 'f' : 'F', image.width, image.height);
  const std::size_t row = image.index(0, 1);
  for (int y = image.height - 1; y >= 0; --y) {
    append_bytes(content, std::span(image.data).subspan(image.index(0, y), row));
  }
  return write_file(path, content);
}

}  // namespace thallo
