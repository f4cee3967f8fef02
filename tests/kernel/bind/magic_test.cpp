#include "core/kernel/bind/magic.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace thallo {
namespace {

// Numerators where a wrong multiplier shows: around multiples of the divisor, and the largest.
std::vector<std::uint64_t> hard_numerators(std::uint64_t divisor, int bits) {
  const std::uint64_t limit = std::uint64_t{1} << (bits - 1);
  std::vector<std::uint64_t> list = {0, 1, limit - 1, limit / 2, limit / 2 - 1};
  const std::uint64_t last = (limit - 1) / divisor;
  for (const std::uint64_t multiple : {std::uint64_t{1}, std::uint64_t{2}, last / 3, last}) {
    for (const std::uint64_t n :
         {multiple * divisor - 1, multiple * divisor, multiple * divisor + 1}) {
      if (n < limit) list.push_back(n);
    }
  }
  return list;
}

void expect_exact(std::uint64_t divisor, int bits) {
  const MagicDivisor magic = make_magic_divisor(divisor, bits);
  ASSERT_LT(magic.shift, static_cast<std::uint64_t>(bits));
  if (bits == 32) {
    ASSERT_LE(magic.multiplier, std::uint64_t{0xffffffff});
  }
  for (const std::uint64_t n : hard_numerators(divisor, bits)) {
    ASSERT_EQ(divide(n, magic, bits), n / divisor) << n << " / " << divisor << ", " << bits;
  }
}

TEST(MagicDivisor, IsExactForSmallDivisorsAndAroundPowersOfTwo) {
  for (const int bits : {32, 64}) {
    for (std::uint64_t divisor = 1; divisor <= 20000; ++divisor) expect_exact(divisor, bits);
  }
  for (const int bits : {32, 64}) {
    for (int k = 1; k < bits - 1; ++k) {
      const std::uint64_t power = std::uint64_t{1} << k;
      for (std::uint64_t divisor = power - 1; divisor <= power + 1; ++divisor) {
        expect_exact(divisor, bits);
      }
    }
    expect_exact((std::uint64_t{1} << (bits - 1)) - 1, bits);
  }
}

TEST(MagicDivisor, IsExactForTypicalAndRandomNumerators) {
  const MagicDivisor magic = make_magic_divisor(1000, 32);
  for (std::uint64_t n = 0; n < 3'000'000; ++n) ASSERT_EQ(divide(n, magic, 32), n / 1000);
  std::mt19937_64 random(7);
  for (const int bits : {32, 64}) {
    const std::uint64_t limit = std::uint64_t{1} << (bits - 1);
    for (int i = 0; i < 200'000; ++i) {
      const std::uint64_t divisor = 1 + (random() >> (random() % 63)) % (limit - 1);
      const std::uint64_t n = random() % limit;
      ASSERT_EQ(divide(n, make_magic_divisor(divisor, bits), bits), n / divisor)
          << n << " / " << divisor;
    }
  }
  EXPECT_EQ(make_magic_divisor(0, 32).multiplier, 0u);
  EXPECT_EQ(divide(5, make_magic_divisor(0, 32), 32), 0u);
}

}  // namespace
}  // namespace thallo
