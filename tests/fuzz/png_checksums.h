#pragma once

#include <cstdint>
#include <span>

namespace thallo {

// Makes the checksum of every chunk of a PNG right, as far as the chunks can be told.
void correct_checksums(std::span<std::uint8_t> png);

}  // namespace thallo
