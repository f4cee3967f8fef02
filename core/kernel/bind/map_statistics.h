#pragma once

// What cost models know of the values of a sparse map: how far apart consecutive points are sent,
// and how many points are sent to one element.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/program.h"

namespace thallo {

struct MapStatistics {
  double points = 0;          // that are sent to some element
  double elements = 0;        // that some point is sent to
  double largest_degree = 0;  // points that are sent to one element, at most
  // Among Lanes consecutive points: pieces of 2^k adjacent elements that they are sent to, divided
  // by the number of points, mean over the map. 1 for k = 0: no two lanes read the same element.
  static constexpr std::size_t Lanes = 32;
  std::array<double, 8> spread{1, 1, 1, 1, 1, 1, 1, 1};

  // Pieces of `bytes` bytes that are transferred for each point, if an element takes
  // `element_bytes` of memory and is read by itself.
  double pieces_per_point(double element_bytes, double bytes) const;
};

// `values` are those of a map with as many coordinates per point as `extents`, the target's
// extents, first = fastest. Points with a coordinate outside of them are left out.
MapStatistics statistics_of(std::span<const std::int32_t> values,
                            std::span<const std::int64_t> extents);

// Of all maps of a program, with its tables and inverses.
std::map<MapId, MapStatistics> map_statistics(const KernelProgram& program,
                                              const ProgramSizes& sizes, const Binding& binding);

}  // namespace thallo
