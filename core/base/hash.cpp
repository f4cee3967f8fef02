#include "core/base/hash.h"

#include <bit>
#include <new>

#include <fmt/format.h>

// Hashing small pieces takes much of the time in which expressions are built, so it is inlined.
#define XXH_INLINE_ALL
#include <xxhash.h>

static_assert(std::endian::native == std::endian::little, "content hashes assume little-endian");

namespace thallo {
namespace {

constexpr std::uint64_t Seed = 0x7468616c6c6f2131ULL;  // "thallo!1"

XXH3_state_t* state_of(std::byte* storage) {
  return std::launder(reinterpret_cast<XXH3_state_t*>(storage));
}
const XXH3_state_t* state_of(const std::byte* storage) {
  return std::launder(reinterpret_cast<const XXH3_state_t*>(storage));
}

Hash128 from_xxh(XXH128_hash_t hash) { return {hash.high64, hash.low64}; }

}  // namespace

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hasher::Hasher() {
  static_assert(sizeof(state_) >= sizeof(XXH3_state_t));
  static_assert(alignof(XXH3_state_t) <= 64);
  auto* state = new (state_) XXH3_state_t;
  XXH3_INITSTATE(state);
  XXH3_128bits_reset_withSeed(state, Seed);
}

Hasher& Hasher::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(state_of(state_), bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::update(std::string_view text) {
  update_word(text.size());
  return update(std::as_bytes(std::span(text)));
}

Hasher& Hasher::update(double value) { return update_word(std::bit_cast<std::uint64_t>(value)); }

Hasher& Hasher::update(Hash128 hash) {
  update_word(hash.high);
  return update_word(hash.low);
}

Hasher& Hasher::update_word(std::uint64_t word) {
  XXH3_128bits_update(state_of(state_), &word, sizeof(word));
  return *this;
}

Hash128 Hasher::finish() const { return from_xxh(XXH3_128bits_digest(state_of(state_))); }

Hash128 hash_bytes(std::span<const std::byte> bytes) {
  return from_xxh(XXH3_128bits_withSeed(bytes.data(), bytes.size(), Seed));
}

Hash128 hash_text(std::string_view text) { return hash_bytes(std::as_bytes(std::span(text))); }

}  // namespace thallo
