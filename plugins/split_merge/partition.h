#pragma once

// Which part each residual belongs to, while the statements of a text change it.

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

// In the order of the energy.
std::vector<ResidualRef> all_residuals(const Energy& energy);

class Partition {
 public:
  // A part for each group.
  explicit Partition(const Energy& energy);

  std::vector<ResidualRef> members_with(ResidualRef residual) const;
  bool are_together(ResidualRef a, ResidualRef b) const { return part_.at(a) == part_.at(b); }
  // The first residual of each part.
  std::vector<ResidualRef> parts() const;
  // The residuals of the same group from here on that are where this one is.
  std::vector<ResidualRef> followers(ResidualRef residual) const;

  void join(std::span<const ResidualRef> movers, ResidualRef target);
  void separate(std::span<const ResidualRef> movers);

 private:
  std::vector<ResidualRef> residuals_;
  // Parts are known by a residual that was once in them; a new one by one that no energy has.
  std::map<ResidualRef, ResidualRef> part_;
  ResidualRef next_part_;
};

}  // namespace thallo
