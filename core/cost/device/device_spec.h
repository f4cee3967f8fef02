#pragma once

// The rates and costs of a device, from which cost models predict times. All rates are per second,
// all costs in seconds, all sizes in bytes.

#include <optional>
#include <string>
#include <vector>

namespace thallo {

// A rate that depends on a size, given at some sizes.
class RateCurve {
 public:
  struct Point {
    double size = 0;
    double rate = 0;
  };

  RateCurve() = default;
  // `points` must be valid; see find_fault().
  explicit RateCurve(std::vector<Point> points);
  // There must be at least one point, sizes and rates must be positive, and sizes must ascend.
  // Returns nothing if this holds, and otherwise a description: "size 32 follows size 192; sizes
  // must ascend".
  static std::optional<std::string> find_fault(const std::vector<Point>& points);

  const std::vector<Point>& points() const { return points_; }
  // Interpolates the logarithm of the rate linearly in the logarithm of the size. Beyond the ends,
  // the rate is that of the last point. There must be at least one point.
  double at(double size) const;

 private:
  std::vector<Point> points_;
};

struct DeviceSpec {
  std::string name;       // "NVIDIA H200"
  std::string backend;    // whose programs it runs: "cuda", "cpu", "interpreter"
  std::string signature;  // of the device and its compiler; empty for a data sheet
  std::string source;     // "measured 2026-11-23", "data sheet"

  double units = 0;               // multiprocessors or cores
  double lanes = 1;               // threads that run in step: a warp
  double threads_per_unit = 1;    // that can be resident
  double registers_per_unit = 0;  // 0 if registers limit nothing
  double memory = 0;
  double cache = 0;    // the last level that all units share; 0: unknown
  double sector = 32;  // the smallest unit of memory transfers

  double copy = 0;         // bytes read and written, arrays far larger than the cache
  double read = 0;         // bytes read, likewise
  double cached_copy = 0;  // bytes read and written, arrays that fit in the cache together
  RateCurve gather;        // bytes of 32-byte records at random places of such a table
  RateCurve atomic;        // additions of floats to memory, over so many addresses
  double private_add = 0;  // additions of floats to memory that no other thread uses
  double float_flops = 0;  // a fused multiply-add is two
  double double_flops = 0;
  double float_transcendentals = 0;  // evaluations of sin
  double double_transcendentals = 0;
  double load_latency = 0;  // seconds until a loaded value arrives from memory

  double launch = 0;             // of a kernel enqueued by the host, back to back
  double round_trip = 0;         // the host enqueues a kernel and waits for its result
  double node = 0;               // an empty kernel in a chain of graph nodes
  double programmatic_node = 0;  // the same with programmatic edges
  double loop_turn = 0;          // added to an iteration by a loop that runs on the device
  double clear = 0;              // setting a small buffer to zero, as a graph node
  double library = 0;            // a library's operation on a tiny matrix, as graph nodes
};

}  // namespace thallo
