// Makes small TIFF files, of kinds that write_tiff() does not write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/io/byte_cursor.h"

namespace thallo::test {

// A page of one row. Numbers are as in the standard.
struct TiffPage {
  std::uint16_t width = 2;
  std::uint16_t channels = 1;
  std::uint16_t bits = 8;
  std::uint16_t format = 1;       // 1 unsigned, 2 signed, 3 float
  std::uint16_t photometric = 1;  // 0 white is zero, 1 black is zero, 3 palette, 5 inks
  std::uint16_t orientation = 1;
  std::uint16_t kind = 0;             // 1 for a smaller copy of another page
  std::vector<std::uint16_t> colors;  // of a palette: all red, then all green, then all blue
  std::string row;
};

inline std::string tiff_bytes(const std::vector<TiffPage>& pages) {
  std::string bytes("II*\0\0\0\0\0", 8);
  std::size_t link = 4;  // where the place of the next page is written
  for (const TiffPage& page : pages) {
    const std::size_t row = bytes.size();
    bytes += page.row + std::string(page.row.size() % 2, '\0');
    const std::size_t colors = bytes.size();
    append_bytes(bytes, std::span<const std::uint16_t>(page.colors));
    std::string bits;  // one number a channel
    for (int c = 0; c < page.channels; ++c) append_bytes(bits, page.bits);
    const std::size_t many_bits = bytes.size();
    bytes += bits;
    std::vector<std::pair<std::uint16_t, std::size_t>> tags = {{254, page.kind},
                                                               {256, page.width},
                                                               {257, 1},
                                                               {258, page.bits},
                                                               {259, 1},
                                                               {262, page.photometric},
                                                               {273, row},
                                                               {274, page.orientation},
                                                               {277, page.channels},
                                                               {278, 1},
                                                               {279, page.row.size()}};
    if (page.format != 1) tags.emplace_back(339, page.format);
    if (!page.colors.empty()) tags.emplace_back(320, colors);
    std::ranges::sort(tags);
    const auto directory = static_cast<std::uint32_t>(bytes.size());
    std::copy_n(reinterpret_cast<const char*>(&directory), 4,
                bytes.begin() + static_cast<std::ptrdiff_t>(link));
    append_bytes(bytes, static_cast<std::uint16_t>(tags.size()));
    for (auto [tag, value] : tags) {
      std::uint32_t count = 1;
      if (tag == 320) count = static_cast<std::uint32_t>(page.colors.size());
      if (tag == 258 && page.channels > 2) {
        count = page.channels;
        value = many_bits;
      }
      append_bytes(bytes, tag);
      append_bytes(bytes, std::uint16_t{tag == 254 || tag == 273 || tag == 279 ? std::uint16_t{4}
                                                                               : std::uint16_t{3}});
      append_bytes(bytes, count);
      append_bytes(bytes, static_cast<std::uint32_t>(value));
    }
    link = bytes.size();
    append_bytes(bytes, std::uint32_t{0});
  }
  return bytes;
}

}  // namespace thallo::test
