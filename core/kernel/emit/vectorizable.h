// Which sections compilers can vectorize well, several points at once. Private to emission.
//
// Not those whose points add to memory, which may be the same for several points, nor those with
// loops inside. What stands in branches must be computed at every point and selected afterwards, so
// that branches may neither store nor read what is not there at some point. And where most of the
// reads are gathers at places that maps name, or elements are stored of as many scalars as no
// vector instruction takes apart, vectors are slower than points one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

// The points at which all guards hold that ask whether a coordinate plus a constant is in its own
// domain: before <= coordinate < extent - behind, for each domain.
struct Inside {
  struct Margin {
    std::int64_t before = 0;
    std::int64_t behind = 0;
  };
  std::vector<Margin> margins;  // one per domain
  std::vector<ValueId> guards;
};

// The points of a section that can be vectorized; none if nothing is to be gained, or without the
// pass `simd`.
std::optional<Inside> vectorizable_points(const KernelProgram& program, const CodeBody& section);

}  // namespace thallo
