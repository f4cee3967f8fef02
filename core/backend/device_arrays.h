#pragma once

// What a backend does with arrays that already lie in the memory of its device. A solve uses them
// where they are (Binding::set_device_field); these functions are for what must be known of their
// values on the host.
//
// Every function waits for the work that the arrays' streams had been given before, and returns
// when it is done.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/device_array.h"

namespace thallo {

// An array, and which of its values can be used.
struct DeviceArrayQuery {
  DeviceArray array;
  // Finite values must lie between these.
  double least = std::numeric_limits<double>::lowest();
  double largest = std::numeric_limits<double>::max();
  // True if all values must be integers.
  bool needs_integers = false;
  bool allows_nan = false;
  // True if the values are SE3 poses, whose quaternions have length 1 (core/energy/manifold.h).
  bool has_quaternions = false;
};

struct DeviceArrayFacts {
  // Arrays of one type with equal values have equal fingerprints; those of other values have others
  // but for one in 2^64.
  std::uint64_t fingerprint = 0;
  // True if no value is one that the query forbids, and no pose lacks its length.
  bool is_usable = true;
};

// The memory from the first value of an array to the last.
struct MemoryRange {
  std::uintptr_t begin = 0, end = 0;

  // False if one of them is empty.
  bool overlaps(const MemoryRange& other) const { return begin < other.end && other.begin < end; }
};
MemoryRange memory_of(const DeviceArray& array);

class DeviceArrays {
 public:
  virtual ~DeviceArrays() = default;

  // Fails, with the reason, unless all values lie in memory of this device at multiples of their
  // size.
  virtual Expected<void> check(const DeviceArray& array) const = 0;
  // Returns facts of each array. The values stay on the device.
  virtual Expected<std::vector<DeviceArrayFacts>> inspect(
      std::span<const DeviceArrayQuery> queries) = 0;
  // Returns a copy of the values on the host.
  virtual Expected<HostArray> download(const DeviceArray& array) = 0;
  // Returns the bytes of all downloads so far.
  virtual std::int64_t bytes_moved() const = 0;
};

// Returns the binding with copies on the host of all fields that are on a device, for what computes
// on the host.
Expected<Binding> copy_to_host(const Energy& energy, const Binding& binding, DeviceArrays& devices);

}  // namespace thallo
