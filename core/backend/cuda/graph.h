#pragma once

// A CUDA graph: first its nodes are added (graph_chain.h), then it is made executable and launched
// as often as wanted.

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
  // The condition of a WHILE node of this graph, which holds at every launch until a kernel says
  // otherwise. Fails when the driver has no conditional nodes.
  Expected<CUgraphConditionalHandle> make_condition(const Device& device) const;
  // To be called once, after all nodes were added. Fails when the driver refuses the graph.
  Expected<void> instantiate(const Stream& stream);
  void launch(const Stream& stream, std::string_view label) const;

 private:
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace thallo::cuda
