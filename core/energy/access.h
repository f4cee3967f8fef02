// Determines which reads can fall outside a field, and the tests that detect it at run time. A
// component that is just a domain over the field's own dim is inside by construction; so is the
// value of a non-optional map that is itself read inside. All other components are tested. Reads
// outside give 0, and scatters outside are dropped.
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

// Returns the tests whose conjunction says that `index` is inside a field over `dims`; tests of
// inner map lookups come first.
std::vector<BoundsTest> bounds_tests(const IndexTable& indices, std::span<const SparseMap> maps,
                                     std::span<const DimId> dims, IndexId index);

// Returns the conjunction of these tests as an expression; constant true if nothing has to be
// tested.
ExprId inside(ExprGraph& graph, std::span<const SparseMap> maps, std::span<const DimId> dims,
              IndexId index);

}  // namespace thallo
