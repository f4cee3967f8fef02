// The structure of a state, coarse or fine: a hash of the decisions up to a depth. States with
// equal hashes differ only in finer decisions.
#pragma once

#include <array>
#include <cstddef>

#include "core/base/hash.h"
#include "core/schedule/directive.h"

namespace thallo {

// The depths, each with what it adds to the one before: 0 the partition and strategies, 1 what is
// stored of intermediates, 2 formats and places of accumulation, 3 parallel Sums and orders, 4
// low-level decisions.
inline constexpr int NumDepths = 5;

// Returns the depth from which on a decision counts.
int depth_of(Stage stage, SiteKind kind);

class StructuralHash {
 public:
  // Adds the decision that was taken next; `is_default` if nothing was decided differently.
  void add(int depth, const Site& site, const Choice& choice, bool is_default);

  // Below depth 0, all states with as many decisions are equal; beyond the last depth, everything
  // counts.
  Hash128 at(int depth) const;
  // Returns the hash of all decisions, whatever their number: states of one schedule have one.
  Hash128 schedule() const { return by_depth_.back(); }

 private:
  std::array<Hash128, NumDepths> by_depth_ = {};
  std::size_t num_decisions_ = 0;
};

}  // namespace thallo
