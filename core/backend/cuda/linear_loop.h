#pragma once

// The linear loop as a CUDA graph: one WHILE node whose body holds several unrolled iterations
// (loop_shape.h), so that one launch runs a whole linear solve and nothing crosses to the host. The
// node's condition starts at 1; the last update of the body, and the update of a reset behind it,
// set it to their kernel's loop condition. When the solve stopped in an earlier iteration, or
// before the first, those updates are kept from running by their gate on state.Stop and set it to 0
// (core/kernel/emit.h).
//
// An operation of a library is captured and becomes a child graph. It has no gate and runs on after
// the stop, which harms nothing (core/kernel/program.h).

#include <cuda.h>

#include <memory>
#include <vector>

#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/loop_shape.h"

namespace thallo::cuda {

struct LoopSteps {
  std::vector<const BoundStep*> iteration;  // direction, apply, update; the last has the condition
  std::vector<const BoundStep*> reset;      // the same for a residual reset; may be empty
};

class LoopGraph {
 public:
  // Fails when the driver has no conditional nodes or refuses the graph, and when a library does
  // what no WHILE body may hold.
  static Expected<std::unique_ptr<LoopGraph>> build(const Device& device, const Stream& stream,
                                                    const LoopSteps& steps, LoopShape shape);
  ~LoopGraph();
  LoopGraph(const LoopGraph&) = delete;
  LoopGraph& operator=(const LoopGraph&) = delete;

  LoopShape shape() const { return shape_; }
  void launch(const Stream& stream) const;

 private:
  explicit LoopGraph(LoopShape shape) : shape_(shape) {}

  LoopShape shape_;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace thallo::cuda
