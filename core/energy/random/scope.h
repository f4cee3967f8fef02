// A place where expressions are written: what can be read there, over which domains.
#pragma once

#include <functional>
#include <vector>

#include "core/energy/random/inputs.h"

namespace thallo::random_energy {

// Each function draws one of what it stands for. They refer to the inputs, which must outlive them.
struct Scope {
  std::vector<DomainId> domains;
  std::vector<std::function<Expr()>> unknowns;  // and intermediates made of them
  std::vector<std::function<Expr()>> raw;       // stored values only: near multiples of Grid
  std::vector<std::function<Expr()>> constants;
  std::vector<std::function<Expr()>> conditions;
  std::function<Expr()> anchor;                   // uses every domain of the scope
  std::function<Expr(const IndexExpr&)> shifted;  // an unknown at an offset, for Sums of stencils
};

Scope image_scope(RandomInputs& in);
Scope volume_scope(RandomInputs& in);
Scope point_scope(RandomInputs& in);
Scope graph_scope(RandomInputs& in);
// Over links: points through the edge of a link, pixels through its map into the image.
Scope link_scope(RandomInputs& in);
// Every point of the image with every point of N.
Scope product_scope(RandomInputs& in);
// Over the domain that Sums run over, or over another one of its dim.
Scope kernel_scope(RandomInputs& in, DomainId t);
// One value for all: reads of global unknowns.
Scope global_scope(RandomInputs& in);

}  // namespace thallo::random_energy
