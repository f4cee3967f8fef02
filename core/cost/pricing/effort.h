#pragma once

// Counts the effort of computing expressions at one point: operations, loaded elements, and reads
// of intermediates, which the caller resolves.

#include <vector>

#include "core/cost/pricing/anatomy.h"
#include "core/kernel/features.h"

namespace thallo {

// Channels of an element of a field that are loaded at a point.
struct Load {
  FieldId field;
  IndexId index;              // invalid if the place depends on values, in a sampled image
  std::vector<int> channels;  // ascending
  double times = 1;           // more than 1 inside Sums
};

struct Effort {
  Flops flops;
  double index_operations = 0;
  double passes = 0;  // of Sums
  std::vector<Load> loads;
  std::vector<Load> reads;  // fields of intermediates and of their gradients

  void add_load(const Load& load) { add(loads, load); }
  // Adds the operations of another effort, multiplied by `times`.
  void add_operations(const Effort& other, double times);

 private:
  friend class EffortCounter;
  static void add(std::vector<Load>& loads, const Load& load);
};

// Returns the effort of `roots` at a point of the `own` domains. The extents of other domains, by
// DimId, say how often Sums repeat their contents. Expressions in `known` are loaded and need no
// operations.
Effort effort_of(const Anatomy& anatomy, const std::vector<ExprId>& roots,
                 const std::vector<DomainId>& own, const std::vector<std::int64_t>& extents,
                 const std::vector<std::pair<ExprId, Load>>& known = {});

}  // namespace thallo
