#pragma once

// A CUDA graph. Nodes are added first (graph_chain.h); then the graph is made executable and can be
// launched repeatedly.

#include <cuda.h>

#include <string_view>

#include "core/backend/cuda/device.h"

namespace thallo::cuda {

class Graph {
 public:
  Graph();  // empty
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  CUgraph get() const { return graph_; }
  // Makes the condition of a WHILE node of this graph. The condition is true at every launch until
  // a kernel clears it. Fails if the driver has no conditional nodes.
  Expected<CUgraphConditionalHandle> make_condition(const Device& device) const;
  // Must be called once, after all nodes were added. Fails if the driver refuses the graph.
  Expected<void> instantiate(const Stream& stream);
  void launch(const Stream& stream, std::string_view label) const;
  // Gives a node of the executable graph, or of the body of its WHILE node, other parameters for
  // all launches to come. Fails if the driver refuses.
  Expected<void> set_parameters(CUgraphNode node, CUgraphNodeParams& parameters) const;

 private:
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace thallo::cuda
