// Counts all schedules of an energy. The count is exact if the tree of decisions factors and its
// partitions can be enumerated; otherwise it is an estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/space/full_space.h"

namespace thallo {

// Averages over random descents of the tree, each weighted by the inverse of its probability
// (Knuth, Estimating the efficiency of backtrack programs, 1975).
struct CountEstimate {
  BigCount mean;
  double relative_error = 0;  // the standard error of the mean, relative to it
  int num_descents = 0;
};

// A construct that has no decision to make under the energy's own partition.
struct UndecidedConstruct {
  std::string name;
  std::string why;
};

struct FullCount {
  std::optional<FullSpace> space;
  // If there is no space, the reason for it.
  std::string why_no_space;
  std::optional<BigCount> walked;  // set if every schedule was visited, one by one
  std::optional<CountEstimate> estimate;

  std::vector<UndecidedConstruct> undecided;
};

// `id` is the id of the space. The same seed gives the same estimate. The tree must outlive the
// result.
FullCount count_full_space(FactoredTree& tree, std::string id, const CountLimits& limits,
                           std::uint64_t seed);

}  // namespace thallo
