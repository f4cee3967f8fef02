#pragma once

// Computing a transposed product at the output asks for every element of an unknown which residual
// points read it: the inverse of an access. An access such as X(x - 1, y) over the residual domains
// (x, y) has the inverse x = e0 + 1, y = e1; with a Sum around it, X(x + k), the residual's own
// domains are solved for and the Sum's stay: x = e0 - k, for every k. Through a sparse map,
// X(v(e)), the points are a list that is made when the map is bound.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

// The points that a map from one dim sends to an element: `point` varies with `run`.
struct MapInverse {
  Affine point;
  DomainId run;
};
// The inverse of a map at an element of its target.
using InvertMap = std::function<MapInverse(MapId map, const Affine& element)>;

// The residual points at which an access reads an element.
struct AccessInverse {
  DomainSubstitution point;    // a component for each residual domain
  std::vector<DomainId> runs;  // with each point of these; empty: there is one
};

// `index` as an access of the element `element` (one domain per component of the index), solved for
// the residual domains; in the result are the element, the other domains of the index and the runs.
// Without `invert_map` maps have no inverse. Fails when there is none; the message says why,
// without naming the access.
Expected<AccessInverse> invert_access(IndexTable& indices, std::span<const SparseMap> maps,
                                      IndexId index, std::span<const DomainId> residual_domains,
                                      std::span<const DomainId> element,
                                      const InvertMap& invert_map = {});

// Can the transposed products of these residuals be computed at the output? The message names the
// first access that has no inverse.
Expected<void> check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals);

// Does one of their accesses to an unknown go through a sparse map?
bool reads_through_map(const Energy& energy, const std::vector<ResidualRef>& residuals);

// May neighboring points of the part, along its fastest domain, read the same element of an
// unknown?
bool neighbors_share_elements(const Energy& energy, const Part& part);

// Can their part of JtJ be stored as diagonals? The pairs of unknown elements that meet in a
// residual must be known from the energy: those of accesses with inverses are, at fixed offsets
// from each other.
Expected<void> check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals);

}  // namespace thallo
