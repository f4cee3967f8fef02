#pragma once

// The linear loop as a CUDA graph: one WHILE node whose body holds several unrolled iterations
// (loop_shape.h), so that one launch runs a whole linear solve and nothing crosses to the host. The
// condition of the node starts at 1. The update kernel of the body's last iteration sets it to its
// loop condition, and so does the update of a residual reset that follows. When the solve stopped
// in an earlier iteration or before the first one, the gate on state.Stop keeps these kernels from
// running and they set the condition to 0 (core/kernel/emit.h).
//
// A library operation is captured and becomes a child graph. It has no gate, so it still runs after
// the stop; core/kernel/program.h says why that is harmless.

#include <memory>
#include <vector>

#include "core/backend/cuda/graph.h"
#include "core/backend/cuda/graph_chain.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/loop_shape.h"

namespace thallo::cuda {

struct LoopSteps {
  std::vector<const BoundStep*> iteration;  // direction, apply, update (with the condition)
  std::vector<const BoundStep*> reset;      // the same for a residual reset; may be empty
};

class LoopGraph {
 public:
  // Fails if the driver has no conditional nodes or refuses the graph, or if a library operation
  // cannot be part of a WHILE body (captured_graph.h).
  static Expected<std::unique_ptr<LoopGraph>> build(const Device& device, const Stream& stream,
                                                    const LoopSteps& steps, LoopShape shape);
  LoopShape shape() const { return shape_; }
  void launch(const Stream& stream) const;
  // Gives the kernels the arguments that these steps have, for all launches to come: the steps of
  // build() for the same memory, with other values of params or other places of fields. Fails if
  // the driver refuses; the graph must not be launched any more then.
  Expected<void> update(const LoopSteps& steps);

 private:
  explicit LoopGraph(LoopShape shape) : shape_(shape) {}
  template <class Visit>
  void for_each_step(const LoopSteps& steps, Visit visit) const;

  LoopShape shape_;
  CUgraphConditionalHandle condition_ = 0;
  std::vector<KernelNode> kernels_;  // of the body
  Graph graph_;
};

}  // namespace thallo::cuda
