// Where cases differ in several things, the default run takes one combination at a time, in turn,
// and THALLO_SLOW_TESTS all of them.
#pragma once

#include <cstddef>
#include <vector>

namespace thallo::test {

#ifdef THALLO_SLOW_TESTS
inline constexpr bool TakesAllVariants = true;
#else
inline constexpr bool TakesAllVariants = false;
#endif

// What the case of this number takes of `all`.
template <class Variant>
std::vector<Variant> in_turn(const std::vector<Variant>& all, std::size_t number) {
  if (TakesAllVariants) return all;
  return {all[number % all.size()]};
}

}  // namespace thallo::test
