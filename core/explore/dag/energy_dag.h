#pragma once

// Makes views (view.h) of an energy under plans. It differentiates the energy once, so that the
// next plan takes less.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/cost/estimator.h"
#include "core/explore/dag/view.h"

namespace thallo {

// Of an instance: with them, nodes say their flops and bytes. All must outlive the view's making.
struct DagSizes {
  const Binding& binding;
  Precision precision = Precision::Float;
  Estimator& estimator;  // of the energy and the instance
};

struct DagViewOptions {
  std::vector<std::string> expanded;  // ids
  // The overview has as many nodes as it needs. Expanded nodes share what is left of this; where
  // one has more expressions than that, a Rest stands for those that are farthest from its values.
  std::size_t max_nodes = 600;
  const DagSizes* sizes = nullptr;
};

class EnergyDag {
 public:
  // The energy must outlive this. Found intermediates are drawn if they are the energy's, as
  // with_found_intermediates() makes it.
  explicit EnergyDag(const Energy& energy);
  ~EnergyDag();

  // Fails for an id that is none of a node or of one that can be expanded, and lists those that
  // are. The plan must be one of the energy.
  Expected<DagView> view(const Plan& plan, const DagViewOptions& options = {}) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace thallo
