#include "core/base/io/exif.h"

#include <cstddef>
#include <cstdint>

namespace thallo {
namespace {

constexpr std::uint32_t Orientation = 0x112;
constexpr std::size_t ExifEntryBytes = 12;  // tag 2, type 2, count 4, value 4

}  // namespace

int exif_orientation(std::string_view exif) {
  const bool is_big_endian = exif.starts_with("MM");
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes && at + bytes <= exif.size(); ++i) {
      const std::size_t place = at + (is_big_endian ? i : bytes - 1 - i);
      value = value << 8 | static_cast<std::uint8_t>(exif[place]);
    }
    return value;
  };
  const std::size_t directory = number(4, 4);
  const std::size_t num_entries = number(directory, 2);
  for (std::size_t i = 0; i < num_entries; ++i) {
    const std::size_t entry = directory + 2 + i * ExifEntryBytes;
    if (number(entry, 2) != Orientation) continue;
    const std::uint32_t orientation = number(entry + 8, 2);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  }
  return 1;
}

}  // namespace thallo
