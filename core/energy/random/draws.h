// Random choices that are a function of the seed on every platform: the distributions of the
// standard library are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace thallo::random_energy {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(seed) {}

  // Returns an integer from low to high, both included; each is as likely (Lemire 2019).
  int between(int low, int high) {
    const auto count = static_cast<std::uint64_t>(std::int64_t{high} - low + 1);
    std::uint64_t bits = bits_();
    const std::uint64_t num_biased = (0 - count) % count;
    while (bits * count < num_biased) bits = bits_();
    const std::uint64_t quotient =  // (bits * count) >> 64, where count has at most 32 bits
        ((bits >> 32) * count + (((bits & 0xffffffff) * count) >> 32)) >> 32;
    return static_cast<int>(low + static_cast<std::int64_t>(quotient));
  }

  // Returns a number in [low, high).
  double uniform(double low, double high) {
    const double fraction = static_cast<double>(bits_()) * 0x1p-64;
    return (fraction < 1 ? fraction : 0x1.fffffffffffffp-1) * (high - low) + low;
  }

  bool chance(double p) { return uniform(0, 1) < p; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<int>(from.size()) - 1))];
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace thallo::random_energy
