// Counts all schedules of an energy: exactly where the tree of decisions can be taken apart and its
// partitions walked, else by an estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/full_space.h"

namespace thallo {

// The mean over random descents of the tree, each weighted by how unlikely it is (Knuth, Estimating
// the efficiency of backtrack programs, 1975).
struct CountEstimate {
  BigCount mean;
  double relative_error = 0;  // the standard error of the mean, relative to it
  int num_descents = 0;
};

// A construct that decides nothing of an energy as its text has the parts.
struct UndecidedConstruct {
  std::string name;
  std::string why;
};

struct FullCount {
  std::optional<FullSpace> space;
  // Without a space:
  std::string why_no_space;
  std::optional<BigCount> walked;  // every schedule was visited, one by one
  std::optional<CountEstimate> estimate;

  std::vector<UndecidedConstruct> undecided;
};

// `id` is that of the space. The same seed gives the same estimate. The tree must outlive the
// result.
FullCount count_full_space(FactoredTree& tree, std::string id, const CountLimits& limits,
                           std::uint64_t seed);

}  // namespace thallo
