#include "core/base/io/flo.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"

namespace thallo {
namespace {

constexpr std::string_view FloMagic = "PIEH";  // 202021.25 in little-endian

}  // namespace

bool is_flo(std::string_view content) { return content.starts_with(FloMagic); }

Expected<Image> parse_flo(const std::filesystem::path& name, std::string_view content) {
  if (!is_flo(content)) return fail_at({name}, "is not a flow file (it does not start with PIEH)");
  ByteCursor cursor(name, content, FloMagic.size());
  std::array<std::int32_t, 2> extents{};
  if (!cursor.read_values(extents))
    return fail(cursor.truncated("width and height", sizeof(extents)));
  const auto [width, height] = extents;
  THALLO_CHECK(check_extents(name, width, height, 2));
  const std::size_t bytes =
      2 * sizeof(float) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (cursor.remaining() < bytes) return fail(cursor.truncated("the flow", bytes));
  if (cursor.remaining() > bytes)
    return fail_at({name}, "has {} bytes after its flow", cursor.remaining() - bytes);
  Image image(width, height, 2);
  cursor.read_values(image.data);
  return image;
}

Expected<void> write_flo(const std::filesystem::path& path, const Image& image) {
  if (image.channels != 2) {
    return fail_at({path}, "cannot be written: a flow has 2 channels, this image has {}",
                   image.channels);
  }
  std::string content(FloMagic);
  for (const int extent : {image.width, image.height}) append_bytes(content, std::int32_t{extent});
  append_bytes(content, std::span<const float>(image.data));
  return write_file(path, content);
}

}  // namespace thallo
