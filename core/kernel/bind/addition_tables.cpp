#include "core/kernel/bind/addition_tables.h"

#include <algorithm>
#include <cmath>

#include "core/base/stop_scope.h"
#include "core/kernel/bind/inverse_map.h"

namespace thallo {
namespace {

// Few enough that a GPU has threads where all points add to a few elements, and so many that sums
// of segments take much less memory than their points.
constexpr std::int32_t MostPointsOfSegment = 64;

}  // namespace

double AdditionTables::num_points(const std::vector<DimId>& dims) const {
  double points = 1;
  for (const DimId dim : dims) points *= static_cast<double>(extents_[dim.index()]);
  return points;
}

double AdditionTables::num_points(const AdditionOrder::List& list) const {
  return num_points(program_.maps[list.point.index()].out);
}

double AdditionTables::num_points(const AdditionOrder& order) const {
  double most = 0;
  for (const AdditionOrder::List& list : order.lists) most = std::max(most, num_points(list));
  return most;
}

double AdditionTables::bytes(const AdditionOrder& order) const {
  double entries = 0;
  for (const AdditionOrder::List& list : order.lists)
    entries += num_points(list) * static_cast<double>(list.domains.size() + 2);
  return entries * double{sizeof(std::int32_t)};
}

void AdditionTables::bound(const AdditionOrder& order) {
  double elements = 1;
  for (const FieldId field : order.fields) elements *= num_points(program_.field(field).dims);
  double points = 0;
  for (const AdditionOrder::List& list : order.lists) points += num_points(list);
  const double targets = std::min(elements, points);
  tables_.extents[order.targets] = static_cast<std::int64_t>(targets);
  for (const AdditionOrder::List& list : order.lists) {
    const double of_list = num_points(list);
    const double segments =
        std::min(of_list, targets + std::ceil(of_list / double{MostPointsOfSegment}));
    tables_.extents[list.points] = static_cast<std::int64_t>(of_list);
    tables_.extents[list.segments] = static_cast<std::int64_t>(segments);
  }
}

std::vector<std::int64_t> AdditionTables::targets_of(const AdditionOrder& order,
                                                     const AdditionOrder::List& list) {
  std::vector<IndexEvaluator::Access> accesses;
  for (std::size_t i = 0; i < order.fields.size(); ++i)
    accesses.push_back(evaluator_.access(order.fields[i], list.at[i]));
  std::vector<std::int64_t> targets;
  targets.reserve(static_cast<std::size_t>(evaluator_.num_points(list.domains)));
  evaluator_.for_each_point(list.domains, [&] {
    std::int64_t target = 0;
    for (std::size_t i = 0; i < accesses.size() && target >= 0; ++i) {
      const auto element = evaluator_.element(accesses[i]);
      const auto count =
          static_cast<std::int64_t>(num_points(program_.field(order.fields[i]).dims));
      target = element ? target * count + *element : -1;
    }
    targets.push_back(target);
  });
  return targets;
}

void AdditionTables::add(const AdditionOrder& order) {
  std::vector<std::vector<std::int64_t>> of_points;
  std::vector<std::int64_t> targets;
  for (const AdditionOrder::List& list : order.lists) {
    check_stop();
    of_points.push_back(targets_of(order, list));
    std::ranges::copy_if(of_points.back(), std::back_inserter(targets),
                         [](std::int64_t target) { return target >= 0; });
    std::ranges::sort(targets);
    targets.erase(std::ranges::unique(targets).begin(), targets.end());
  }
  tables_.extents[order.targets] = std::ssize(targets);
  for (std::int64_t target : targets) {
    for (std::size_t i = order.fields.size(); i-- > 0;) {
      const std::vector<DimId>& dims = program_.field(order.fields[i]).dims;
      const auto count = static_cast<std::int64_t>(num_points(dims));
      if (order.elements[i].valid()) append_coordinates(dims, target % count, order.elements[i]);
      target /= count;
    }
  }
  for (std::size_t l = 0; l < order.lists.size(); ++l) add(order.lists[l], targets, of_points[l]);
}

void AdditionTables::add(const AdditionOrder::List& list, const std::vector<std::int64_t>& targets,
                         const std::vector<std::int64_t>& of_points) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(of_points.size());
  for (const std::int64_t target : of_points) {
    const auto found = std::ranges::lower_bound(targets, target) - targets.begin();
    numbers.push_back(target < 0 ? -1 : static_cast<std::int32_t>(found));
  }
  const CompressedInverse sorted = invert(numbers, std::ssize(targets));
  for (std::int32_t i = 0; i < sorted.offsets.back(); ++i) {
    append_coordinates(program_.maps[list.point.index()].out,
                       sorted.points[static_cast<std::size_t>(i)], list.point);
  }
  std::vector<std::int32_t>& begin = tables_.maps[list.begin];
  std::vector<std::int32_t>& segments_of = tables_.maps[list.segments_of];
  for (std::size_t t = 0; t < targets.size(); ++t) {
    segments_of.push_back(static_cast<std::int32_t>(begin.size()));
    for (std::int32_t point = sorted.offsets[t]; point < sorted.offsets[t + 1];
         point += MostPointsOfSegment)
      begin.push_back(point);
  }
  segments_of.push_back(static_cast<std::int32_t>(begin.size()));
  tables_.extents[list.segments] = std::ssize(begin);
  tables_.extents[list.points] = sorted.offsets.back();
  begin.push_back(sorted.offsets.back());
}

void AdditionTables::append_coordinates(const std::vector<DimId>& dims, std::int64_t number,
                                        MapId to) {
  std::vector<std::int32_t>& table = tables_.maps[to];
  for (const DimId dim : dims) {
    const std::int64_t extent = extents_[dim.index()];
    table.push_back(static_cast<std::int32_t>(number % extent));
    number /= extent;
  }
}

}  // namespace thallo
