#pragma once

// The work of a step in which a library runs, captured as a CUDA graph that can be a node of
// another graph.

#include <cuda.h>

#include <utility>

#include "core/backend/cuda/launch.h"

namespace thallo::cuda {

class CapturedGraph {
 public:
  // Captures a step on `stream`. Fails if the step cannot be captured, or if it does more than
  // launch kernels and copy or clear memory: a graph with other nodes cannot be part of the body of
  // a WHILE node.
  static Expected<CapturedGraph> of(const Stream& stream, const BoundStep& step);
  ~CapturedGraph();
  CapturedGraph(CapturedGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  CapturedGraph& operator=(CapturedGraph&&) = delete;

  CUgraph get() const { return graph_; }

 private:
  explicit CapturedGraph(CUgraph graph) : graph_(graph) {}

  CUgraph graph_;
};

}  // namespace thallo::cuda
