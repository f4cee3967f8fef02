#pragma once

// A kernel that computes a transposed product at the output must know, for every element of an
// unknown, which residual points read it: the inverse of an access. An access such as X(x - 1, y)
// over the residual domains (x, y) has the inverse x = e0 + 1, y = e1, where (e0, e1) is the
// element. If the access is in a Sum over k, X(x + k), it is solved for the residual's own domains
// and the Sum's remain: x = e0 - k, for every k. If it goes through a sparse map, X(v(e)), the
// points are a list that is made when the map is bound.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

// The points that a map from one dim sends to an element: `point`, for each value of the loop
// variable `run`.
struct MapInverse {
  Affine point;
  DomainId run;
};
// Makes the inverse of a map at an element of its target.
using InvertMap = std::function<MapInverse(MapId map, const Affine& element)>;

// The residual points at which an access reads an element.
struct AccessInverse {
  DomainSubstitution point;    // a component for each residual domain
  std::vector<DomainId> runs;  // there is a point for each value of these; empty: there is one
};

// Solves `index` = `element` (one domain per component of the index) for the residual domains. The
// result is written in terms of the element, the other domains of the index and the runs. Without
// `invert_map`, sparse maps have no inverse. Fails if the access has no inverse; the message says
// why, without naming the access.
Expected<AccessInverse> invert_access(IndexTable& indices, std::span<const SparseMap> maps,
                                      IndexId index, std::span<const DomainId> residual_domains,
                                      std::span<const DomainId> element,
                                      const InvertMap& invert_map = {});

// Succeeds if the transposed products of these residuals can be computed at the output. The message
// names the first access that has no inverse. The result is kept with the energy (energy_facts.h),
// like that of check_jtj().
const Expected<void>& check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals);

// The same for the products at one space of unknowns, and at those that are gathered at.
const Expected<void>& check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals,
                                   std::size_t space);
const Expected<void>& check_gather(const Energy& energy, const std::vector<ResidualRef>& residuals,
                                   ComputeAt where);

// Returns the spaces of unknowns that these residuals have derivatives by, in ascending order.
std::vector<std::size_t> spaces_read(const Energy& energy,
                                     const std::vector<ResidualRef>& residuals);
// Returns all that can be said of where the transposed products of these residuals are gathered,
// legal or not: at all spaces, and at any of several. If they read more than four spaces, at one of
// them.
std::vector<ComputeAt> gathers_of(const Energy& energy, const std::vector<ResidualRef>& residuals);

// Returns the spaces that the transposed products of these residuals can be gathered at together.
ComputeAt most_gathered(const Energy& energy, const std::vector<ResidualRef>& residuals);
// Returns default_plan() with all products gathered there.
Plan gathered_plan(const Energy& energy);
// Succeeds if the part's products are gathered there, and no library adds one up in an order of its
// own. The message says what else to write.
Expected<void> check_order(const Energy& energy, const Part& part);

// True if an access of these residuals to an unknown, or to one of the space, goes through a sparse
// map.
bool reads_through_map(const Energy& energy, const std::vector<ResidualRef>& residuals);
bool reads_through_map(const Energy& energy, const std::vector<ResidualRef>& residuals,
                       std::size_t space);

// True if neighboring points of the part, along its fastest domain, may read the same element of an
// unknown.
bool neighbors_share_elements(const Energy& energy, const Part& part);

// Succeeds if what these residuals add to JtJ can be stored as diagonals: any two unknown elements
// that meet in a residual must be at a fixed offset from each other. This holds if the accesses
// have inverses without sparse maps and the offset varies with no domain of a Sum. The message
// names accesses that fail.
const Expected<void>& check_jtj(const Energy& energy, const std::vector<ResidualRef>& residuals);

}  // namespace thallo
