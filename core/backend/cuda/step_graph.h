#pragma once

// Steps as a CUDA graph, with the linear loop among them, so that one launch runs all of them and
// nothing crosses to the host. The loop is a WHILE node whose body holds several unrolled
// iterations (loop_shape.h). The condition of the node starts at 1. The update kernel of the body's
// last iteration sets it to its loop condition, and so does the update of a residual reset that
// follows. When the solve stopped in an earlier iteration or before the first one, the gate on
// state.Stop keeps these kernels from running and they set the condition to 0
// (core/kernel/emit.h).
//
// A library operation is captured and becomes a child graph. It has no gate, so it still runs after
// the stop; core/kernel/program.h says why that is harmless.

#include <memory>
#include <optional>
#include <vector>

#include "core/backend/cuda/graph.h"
#include "core/backend/cuda/graph_chain.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/loop_shape.h"

namespace thallo::cuda {

struct GraphSteps {
  std::vector<const BoundStep*> before;     // the loop
  std::vector<const BoundStep*> iteration;  // direction, apply, update (with the condition)
  std::vector<const BoundStep*> reset;      // the same for a residual reset; may be empty
  std::vector<const BoundStep*> after;      // the loop
};

class StepGraph {
 public:
  // Makes a loop if there is a shape for it. Fails if the driver has no conditional nodes or
  // refuses the graph, or if a library operation cannot be part of a graph (captured_graph.h). No
  // step may be a solve by the host.
  static Expected<std::unique_ptr<StepGraph>> build(const Device& device, const Stream& stream,
                                                    const GraphSteps& steps,
                                                    std::optional<LoopShape> loop);
  void launch(const Stream& stream) const;
  // Gives the kernels the arguments that these steps have, for all launches to come: the steps of
  // build() for the same memory, with other values of params or other places of fields. Fails if
  // the driver refuses; the graph must not be launched any more then.
  Expected<void> update(const GraphSteps& steps);

 private:
  explicit StepGraph(std::optional<LoopShape> loop) : loop_(loop) {}
  template <class Visit>
  void for_each_of_body(const GraphSteps& steps, Visit visit) const;
  Expected<void> update(const BoundLaunch& kernel, CUgraphConditionalHandle condition,
                        KernelNode& known);

  std::optional<LoopShape> loop_;
  CUgraphConditionalHandle condition_ = 0;
  std::vector<KernelNode> kernels_;  // before the loop, of its body, after the loop
  Graph graph_;
};

}  // namespace thallo::cuda
