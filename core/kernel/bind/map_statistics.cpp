#include "core/kernel/bind/map_statistics.h"

#include <algorithm>
#include <cmath>

#include "core/kernel/bind/inverse_map.h"

namespace thallo {
namespace {

// So many groups of lanes, evenly over the map, stand for all of them.
constexpr std::size_t SampledGroups = 4096;

// The elements that the points are sent to, as linear indices, in the order of points.
std::vector<std::int64_t> elements_of(std::span<const std::int32_t> values,
                                      std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> elements;
  if (extents.empty()) return elements;
  elements.reserve(values.size() / extents.size());
  for (std::size_t first = 0; first + extents.size() <= values.size(); first += extents.size()) {
    std::int64_t element = 0;
    bool is_inside = true;
    for (std::size_t d = extents.size(); d-- > 0;) {
      const std::int64_t coordinate = values[first + d];
      is_inside = is_inside && coordinate >= 0 && coordinate < extents[d];
      element = element * extents[d] + coordinate;
    }
    if (is_inside) elements.push_back(element);
  }
  return elements;
}

// Adds the number of pieces of 2^k elements, for each k, that a group of lanes reads.
void add_pieces(std::span<const std::int64_t> group,
                std::array<double, std::tuple_size_v<decltype(MapStatistics::spread)>>& pieces) {
  std::array<std::int64_t, MapStatistics::Lanes> sorted{};
  std::ranges::copy(group, sorted.begin());
  const std::span<std::int64_t> lanes(sorted.data(), group.size());
  std::ranges::sort(lanes);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    double different = 1;
    for (std::size_t i = 1; i < lanes.size(); ++i)
      if (lanes[i] >> k != lanes[i - 1] >> k) ++different;
    pieces[k] += different;
  }
}

}  // namespace

double MapStatistics::pieces_per_point(double element_bytes, double bytes) const {
  if (element_bytes <= 0) return 0;
  if (element_bytes >= bytes) return spread.front() * std::ceil(element_bytes / bytes);
  const auto k = static_cast<std::size_t>(std::log2(bytes / element_bytes));
  return spread[std::min(k, spread.size() - 1)];
}

MapStatistics statistics_of(std::span<const std::int32_t> values,
                            std::span<const std::int64_t> extents) {
  MapStatistics result;
  const std::vector<std::int64_t> elements = elements_of(values, extents);
  if (elements.empty()) return result;
  result.points = static_cast<double>(elements.size());

  std::vector<std::int32_t> degrees(static_cast<std::size_t>(*std::ranges::max_element(elements)) +
                                    1);
  for (const std::int64_t element : elements) ++degrees[static_cast<std::size_t>(element)];
  result.elements =
      static_cast<double>(std::ranges::count_if(degrees, [](auto degree) { return degree > 0; }));
  result.largest_degree = *std::ranges::max_element(degrees);

  result.spread.fill(0);
  const std::size_t groups = (elements.size() + MapStatistics::Lanes - 1) / MapStatistics::Lanes;
  const std::size_t stride = std::max<std::size_t>(1, groups / SampledGroups);
  double sampled = 0;
  for (std::size_t group = 0; group < groups; group += stride) {
    const std::size_t first = group * MapStatistics::Lanes;
    const std::size_t count = std::min(MapStatistics::Lanes, elements.size() - first);
    add_pieces(std::span(elements).subspan(first, count), result.spread);
    sampled += static_cast<double>(count);
  }
  for (double& pieces : result.spread) pieces /= sampled;
  return result;
}

std::map<MapId, MapStatistics> map_statistics(const KernelProgram& program,
                                              const ProgramSizes& sizes, const Binding& binding) {
  std::map<MapId, MapStatistics> result;
  const std::vector<std::vector<std::int32_t>> values = map_values(program, sizes, binding);
  for (std::size_t m = 0; m < values.size(); ++m) {
    std::vector<std::int64_t> extents;
    for (const DimId dim : program.maps[m].out) extents.push_back(sizes.extent(dim));
    result.emplace(MapId(m), statistics_of(values[m], extents));
  }
  const auto describe = [&](MapId offsets, DimId points, DimId elements) {
    const std::vector<std::int32_t>& ends = values[offsets.index()];
    MapStatistics& lists = result[offsets];
    lists.points = static_cast<double>(sizes.extent(points));
    lists.elements = static_cast<double>(sizes.extent(elements));
    lists.largest_degree = 0;
    for (std::size_t i = 1; i < ends.size(); ++i)
      lists.largest_degree = std::max(lists.largest_degree, double(ends[i] - ends[i - 1]));
  };
  for (const AdditionOrder& order : program.addition_orders) {
    for (const AdditionOrder::List& list : order.lists) {
      describe(list.begin, list.points, list.segments);
      describe(list.segments_of, list.segments, order.targets);
    }
  }
  return result;
}

}  // namespace thallo
