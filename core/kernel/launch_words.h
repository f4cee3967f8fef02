// The words that a kernel is launched with (arguments.h).
#pragma once

#include <bit>
#include <cstdint>

namespace thallo {

inline std::uint64_t word(const void* pointer) { return std::bit_cast<std::uint64_t>(pointer); }
inline std::uint64_t word(std::int64_t value) { return static_cast<std::uint64_t>(value); }
inline std::uint64_t word(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace thallo
