// A strong 32-bit handle. Things that live in arrays (expression nodes, index expressions, dims,
// fields, buffers, kernels ...) are addressed by Id<Tag>, so that an index into one array cannot be
// used for another, and an unset handle is recognizable: a default-constructed Id is invalid.
//
//   using ExprId = Id<struct ExprTag>;
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace thallo {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::integral auto index) : value_(static_cast<std::uint32_t>(index)) {}

  constexpr bool valid() const { return value_ != Invalid; }
  constexpr explicit operator bool() const { return valid(); }

  constexpr std::uint32_t value() const { return value_; }
  // Returns the position in the array that this id addresses.
  constexpr std::size_t index() const { return value_; }

  // Ids are ordered by position; the invalid id comes last.
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t Invalid = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = Invalid;
};

}  // namespace thallo

template <class Tag>
struct std::hash<thallo::Id<Tag>> {
  std::size_t operator()(thallo::Id<Tag> id) const noexcept {
    // Fibonacci hashing: ids are consecutive, and containers with power-of-two buckets need
    // spread-out hashes.
    return static_cast<std::size_t>(id.value()) * 0x9e3779b97f4a7c15ULL;
  }
};
