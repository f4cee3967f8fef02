// What the products of some residuals that are computed together consist of, before it is decided
// what is stored of them. Private to estimates.
#pragma once

#include <vector>

#include "core/cost/pricing/effort.h"
#include "core/schedule/plan.h"

namespace thallo {

// An element of an unknown that the residuals read: rows of J^T. Or of a parallel Sum's values.
struct UnknownAccess {
  FieldId unknown;
  IndexId index;
  std::vector<DomainId> loops;  // of Sums around it
  std::vector<int> channels;    // tangent channels, ascending
  struct Entry {
    std::size_t residual = 0;  // within the part
    int channel = 0;
    ExprId value;
  };
  std::vector<Entry> entries;
  double times = 1;       // points of the loops
  std::size_t space = 0;  // of unknowns, if it is of an unknown
  // True if the channels are found one after the other, with nothing between them. Kernels that
  // scatter add to them as they are found, and to neighbors in vectors.
  bool is_one_run = true;
};

// Where two accesses of a point meet in half of JtJ.
struct Meeting {
  IndexId index;  // of the row's element, then the column's
  double entries = 0;
};

// What a thread of an element needs, in a kernel that gathers, of points that read the element.
// Accesses at the same index lead to the same points. Those of a stencil are all one visit, written
// from the element's side: what several of its points need is computed once.
struct Visit {
  std::size_t space = 0;  // of unknowns
  double total = 0;       // of all elements together
  IndexId index;          // at which the points read the element; invalid for a stencil
  // What the Jp of the residuals that read the element reads, as PartPieces::directions.
  std::vector<UnknownAccess> directions;
};

// What a point of the residuals computes.
struct PartEfforts {
  Effort values;       // residuals
  Effort derivatives;  // partials and weights
  Effort both;
  Effort directions;  // what Jp is made of, and weights
  // For each visit: the partials by the element and what the Jp of the residuals that read it is
  // made of; these and the residuals; the partials by the element alone.
  std::vector<Effort> around, around_with_values, at_element;
};

struct PartPieces {
  std::vector<DomainId> domains;  // as the anatomy names them
  double points = 0;
  double num_residuals = 0;
  std::vector<UnknownAccess> accesses;
  std::vector<Meeting> meetings;
  double nonzeros = 0;  // of J, for a point
  // What Jp reads: as `accesses`, with the values of parallel Sums in the place of unknowns.
  std::vector<UnknownAccess> directions;
  double num_directions = 0;  // terms of Jp, for a point
  std::vector<Visit> visits;  // of the spaces of unknowns that the part can gather at
  // Where there are parallel Sums, the points of Sums are threads, too, in kernels that scatter: so
  // many for a point. 0: there are none.
  double threads_of_sums = 0;
  PartEfforts efforts;  // with reads of intermediates
  // The intermediates that are read, also by other intermediates; ascending.
  std::vector<std::size_t> intermediates;
};

PartPieces part_pieces(Anatomy& anatomy, const std::vector<ResidualRef>& residuals,
                       const std::vector<std::int64_t>& extents);

}  // namespace thallo
