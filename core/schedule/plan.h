#pragma once

// The Plan: an Energy together with every scheduling decision, in the form lowering reads.
// Constructs edit it; default_plan() is the schedule without any choice. What is stored,
// recomputed, parallel and in which order is said here and nowhere else.

#include <string>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

// How JtJ*p is formed; brackets mean stored before the inner loop.
enum class Strategy { JtJp };

// Where a transposed product is accumulated: one thread per residual point scatters.
enum class ComputeAt { Residual };

// A named intermediate is recomputed at each read, or its values are stored once per nonlinear
// iteration.
enum class Materialize { Inline, Value };

struct ResidualRef {
  std::size_t group = 0;     // index into energy.groups()
  std::size_t residual = 0;  // index into group.residuals
};

// Residuals scheduled together: one kernel per product.
struct Part {
  std::string name;
  std::vector<ResidualRef> residuals;
  std::vector<DomainId> order;  // iteration order, first = fastest across lanes
  Strategy strategy = Strategy::JtJp;
  ComputeAt jtf = ComputeAt::Residual;
  ComputeAt jtjp = ComputeAt::Residual;
};

struct Plan {
  std::vector<Part> parts;
  std::vector<Materialize> intermediates;  // one per energy.intermediates()
};

// One part per named group, JtJp at residual, intermediates inlined, domains in declaration order.
Plan default_plan(const Energy& energy);

}  // namespace thallo
