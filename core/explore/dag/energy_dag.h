#pragma once

// Makes views (view.h) of an energy under plans. The energy is differentiated once, in the
// constructor, so each further plan is cheaper.

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/cost/pricing/estimator.h"
#include "core/explore/dag/subject.h"
#include "core/explore/dag/view.h"

namespace thallo {

// The instance whose sizes are used. With it, nodes state their flops and bytes. All members must
// outlive the making of the view.
struct DagSizes {
  const Binding& binding;
  Precision precision = Precision::Float;
  Estimator& estimator;  // of the energy and the instance
};

struct DagViewOptions {
  std::vector<std::string> expanded;  // ids
  // Limits how many nodes expansions add. The overview always has as many nodes as it needs, and
  // the expanded nodes share what is left of the limit. If a node has more expressions than its
  // share, the ones farthest from its values are replaced by one Rest node.
  std::size_t max_nodes = 600;
  const DagSizes* sizes = nullptr;
};

class EnergyDag {
 public:
  // The energy must outlive this object. Intermediates that were found, not written, are drawn if
  // they are part of the energy, as with_found_intermediates() makes it.
  explicit EnergyDag(const Energy& energy) : subject_(energy) {}

  // Fails if an id names no node, or a node that cannot be expanded; the message lists the ids that
  // can be. The plan must be a plan of this energy.
  Expected<DagView> view(const Plan& plan, const DagViewOptions& options = {});

 private:
  DagSubject subject_;
};

}  // namespace thallo
