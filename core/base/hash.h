// A 128-bit content hash (XXH3 with a fixed seed): equal content gives equal hashes in every
// process and on every machine, so it may name cache files, order operands and identify kernels.
// Within a process collisions are taken to be impossible. The kernel cache, whose files outlive the
// process, compares the whole key.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace thallo {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // Returns 32 lower-case hexadecimal digits, high half first.
  std::string hex() const;

  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

// Hashes content that arrives in pieces. Updates are unambiguous: integers are 8 bytes,
// little-endian, whatever their type, and texts carry their length, so that ("ab", "c") and ("a",
// "bc") differ.
class Hasher {
 public:
  Hasher();

  Hasher& update(std::span<const std::byte> bytes);
  Hasher& update(std::string_view text);
  Hasher& update(const char* text) { return update(std::string_view(text)); }
  // Hashes the bit pattern: 0.0 and -0.0 differ, NaNs with equal bits are equal.
  Hasher& update(double value);
  Hasher& update(Hash128 hash);
  Hasher& update(std::integral auto value) {
    return update_word(static_cast<std::uint64_t>(value));
  }

  // Returns the hash of all content so far; more may follow.
  Hash128 finish() const;

 private:
  Hasher& update_word(std::uint64_t word);

  alignas(64) std::byte state_[576];  // an XXH3 state; xxhash.h stays out of headers
};

// Returns the hash of one piece of raw content, without a length in front.
Hash128 hash_bytes(std::span<const std::byte> bytes);
Hash128 hash_text(std::string_view text);

}  // namespace thallo

template <>
struct std::hash<thallo::Hash128> {
  std::size_t operator()(const thallo::Hash128& key) const noexcept { return key.low; }
};
