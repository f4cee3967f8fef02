#pragma once

// A time, split by what it is spent on.

#include <array>
#include <cstddef>

#include "core/base/enum_names.h"

namespace thallo {

// What a step of a program waits for.
enum class Wait {
  Launch,      // being started
  Memory,      // the bytes that it must move
  Cache,       // the sectors that its threads ask the caches for
  Atomics,     // additions to memory that wait for each other
  Arithmetic,  // operations
  Latency,     // values that a thread loads before it goes on, and sums over all threads
  Unknown      // the model does not say
};
template <>
inline constexpr EnumNames enum_names<Wait> = {
    "wait of a step", {"launch", "memory", "cache", "atomics", "arithmetic", "latency", "unknown"}};
inline constexpr auto AllWaits = all_values<Wait>();

// Seconds by what they are spent on.
class TimeParts {
 public:
  double& operator[](Wait wait) { return seconds_[static_cast<std::size_t>(wait)]; }
  double operator[](Wait wait) const { return seconds_[static_cast<std::size_t>(wait)]; }
  double total() const;
  Wait longest() const;
  // Adds another time that is spent so many times.
  void add(const TimeParts& other, double times = 1);

 private:
  std::array<double, AllWaits.size()> seconds_{};
};

}  // namespace thallo
