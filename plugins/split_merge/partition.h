#pragma once

// Tracks the part of each residual while the statements of a text change the partition.

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

// Returns all residuals in the order of the energy.
std::vector<ResidualRef> all_residuals(const Energy& energy);

class Partition {
 public:
  // Starts with one part for each group.
  explicit Partition(const Energy& energy);

  std::vector<ResidualRef> members_with(ResidualRef residual) const;
  bool are_together(ResidualRef a, ResidualRef b) const { return part_.at(a) == part_.at(b); }
  // Returns the first residual of each part.
  std::vector<ResidualRef> parts() const;
  // Returns the residuals from this one to the end of its group that are in the same part as it.
  std::vector<ResidualRef> followers(ResidualRef residual) const;

  void join(std::span<const ResidualRef> movers, ResidualRef target);
  void separate(std::span<const ResidualRef> movers);

 private:
  std::vector<ResidualRef> residuals_;
  // A part is identified by a residual that was once in it; a new part by a residual that does not
  // exist in the energy.
  std::map<ResidualRef, ResidualRef> part_;
  ResidualRef next_part_;
};

}  // namespace thallo
