#include "tests/fuzz/png_checksums.h"

#include <boost/crc.hpp>

namespace thallo {

// A chunk is its length (big-endian), a type of four bytes, the data, and the CRC-32 of type and
// data (big-endian).
void correct_checksums(std::span<std::uint8_t> png) {
  constexpr std::size_t Signature = 8, Frame = 12;
  if (png.size() < Signature) return;
  png = png.subspan(Signature);
  while (png.size() >= Frame) {
    const std::size_t length = std::size_t{png[0]} << 24 | std::size_t{png[1]} << 16 |
                               std::size_t{png[2]} << 8 | std::size_t{png[3]};
    if (length > png.size() - Frame) return;
    boost::crc_32_type crc;
    crc.process_bytes(png.data() + 4, length + 4);
    for (std::size_t i = 0; i < 4; ++i)
      png[length + 8 + i] = static_cast<std::uint8_t>(crc.checksum() >> (24 - 8 * i));
    png = png.subspan(length + Frame);
  }
}

}  // namespace thallo
