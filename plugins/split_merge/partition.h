#pragma once

// Tracks the part of each residual while the statements of a text change the partition.

#include <map>
#include <set>
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

  std::vector<ResidualRef> members_with(ResidualRef residual) const;  // ascending
  // Returns the first of them.
  ResidualRef first_with(ResidualRef residual) const {
    return *members_.at(part_.at(residual)).begin();
  }
  bool are_together(ResidualRef a, ResidualRef b) const { return part_.at(a) == part_.at(b); }
  // Returns the first residual of each part, ascending.
  std::vector<ResidualRef> parts() const;
  // Returns the residuals from this one to the end of its group that are in the same part as it.
  std::vector<ResidualRef> followers(ResidualRef residual) const;

  void join(std::span<const ResidualRef> movers, ResidualRef target);
  void separate(std::span<const ResidualRef> movers);

 private:
  void move(ResidualRef residual, ResidualRef part);

  // A part is identified by a residual that was once in it; a new part by a residual that does not
  // exist in the energy.
  std::map<ResidualRef, ResidualRef> part_;
  std::map<ResidualRef, std::set<ResidualRef>> members_;  // of each part
  ResidualRef next_part_;
};

}  // namespace thallo
