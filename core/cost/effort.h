#pragma once

// What it takes to compute expressions at one point: operations, elements that are loaded, and
// reads of intermediates, which somebody else resolves.

#include <vector>

#include "core/cost/anatomy.h"
#include "core/kernel/features.h"

namespace thallo {

// Channels of an element of a field that a point loads.
struct Load {
  FieldId field;
  IndexId index;              // invalid: a place that depends on values, in a sampled image
  std::vector<int> channels;  // ascending
  double times = 1;           // more than 1 inside of Sums
};

struct Effort {
  Flops flops;
  double index_operations = 0;
  double passes = 0;  // of Sums
  std::vector<Load> loads;
  std::vector<Load> reads;  // of intermediates: their fields, and those of their gradients

  void add_load(const Load& load) { add(loads, load); }
  // Adds the operations of another effort, so many times.
  void add_operations(const Effort& other, double times);

 private:
  friend class EffortCounter;
  static void add(std::vector<Load>& loads, const Load& load);
};

// What `roots` take at a point of `own` domains; the extents of other domains, by DimId, say how
// often Sums repeat what is inside. Expressions in `known` are loaded: they need no operations.
Effort effort_of(const Anatomy& anatomy, const std::vector<ExprId>& roots,
                 const std::vector<DomainId>& own, const std::vector<std::int64_t>& extents,
                 const std::vector<std::pair<ExprId, Load>>& known = {});

}  // namespace thallo
