#pragma once

// Statistics of a sparse map's values for cost models: how far apart consecutive points are mapped,
// and how many points are mapped to one element.

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
  double points = 0;          // points that are mapped to some element
  double elements = 0;        // elements that some point is mapped to
  double largest_degree = 0;  // the most points that are mapped to one element
  // For each k: among Lanes consecutive points, the number of blocks of 2^k adjacent elements that
  // they are mapped to, divided by the number of points; averaged over the map. 1 for k = 0 means
  // that no two lanes read the same element.
  static constexpr std::size_t Lanes = 32;
  std::array<double, 8> spread{1, 1, 1, 1, 1, 1, 1, 1};

  // Returns how many units of `bytes` bytes are transferred for each point, if an element takes
  // `element_bytes` of memory and is read by itself.
  double pieces_per_point(double element_bytes, double bytes) const;
};

// `values` are the values of a map with as many coordinates per point as `extents`, the target's
// extents, has entries; first = fastest. Points with a coordinate out of range are left out.
MapStatistics statistics_of(std::span<const std::int32_t> values,
                            std::span<const std::int64_t> extents);

// Returns the statistics of all maps of a program, including its tables and inverses.
std::map<MapId, MapStatistics> map_statistics(const KernelProgram& program,
                                              const ProgramSizes& sizes, const Binding& binding);

}  // namespace thallo
