// Which reads can fall outside a field, and the tests that tell at run time. A component that is
// one domain over the field's own dim is inside by construction, and so is the value of a map that
// is not optional and is itself read inside. All others are tested; reads outside give 0 and
// scatters outside are dropped.
#pragma once

#include <span>
#include <vector>

#include "core/energy/energy.h"
#include "core/ir/graph.h"

namespace thallo {

struct BoundsTest {
  Affine component;
  DimId dim;  // inside means 0 <= component < extent(dim)
};

// The tests whose conjunction says that `index` lies inside a field over `dims`; tests of inner map
// lookups come first.
std::vector<BoundsTest> bounds_tests(const IndexTable& indices, std::span<const SparseMap> maps,
                                     std::span<const DimId> dims, IndexId index);

// The conjunction of these tests as an expression: constant true when nothing has to be tested.
ExprId inside(ExprGraph& graph, std::span<const SparseMap> maps, std::span<const DimId> dims,
              IndexId index);

}  // namespace thallo
