#pragma once

// Adds nodes to a graph, or to the body of one of its WHILE nodes, each after the one before.

#include <cuda.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/backend/cuda/captured_graph.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"

namespace thallo::cuda {

using CapturedGraphs = std::map<const BoundStep*, CapturedGraph>;
// The graphs of the library operations among the steps. Fails as CapturedGraph::of() does.
Expected<CapturedGraphs> capture_libraries(
    const Stream& stream, std::span<const std::vector<const BoundStep*>* const> lists);

// How a kernel follows a kernel. Programmatic: it is launched while the first still runs, and its
// text begins by waiting for the end of the first (core/kernel/emit.h). This hides part of the
// launch time, about 0.15 us on an H200. The device must be able to launch early.
enum class ChainEdges { Full, Programmatic };

// The edges of the linear loop on a device.
ChainEdges loop_edges(const Device& device);

// After the first failure, which is kept, later calls do nothing.
class GraphChain {
 public:
  GraphChain(const Device& device, CUgraph graph, ChainEdges edges)
      : context_(device.context()), edges_(edges), graph_(graph) {}

  // Hands over the captured graphs of library operations; needed before add() of such a step.
  void use(const CapturedGraphs& captured) { captured_ = &captured; }

  // A kernel with a loop condition sets that of `handle`; 0: no one's. A dense solve cannot be
  // added.
  void add(const BoundStep& step, CUgraphConditionalHandle handle = 0);
  // Adds a WHILE node and returns the graph of its body; null after a failure.
  CUgraph add_while(CUgraphConditionalHandle handle);

  // Fails with the first node that the driver refused.
  Expected<void> result() const;

 private:
  void add_kernel(const BoundLaunch& kernel, CUgraphConditionalHandle handle);
  void add_clear(const BoundClear& zero);
  void add_node(CUgraphNodeParams& params, const std::string& label);

  CUcontext context_;
  ChainEdges edges_;
  CUgraph graph_;
  const CapturedGraphs* captured_ = nullptr;
  CUgraphNode previous_ = nullptr;
  bool previous_is_kernel_ = false;
  CUresult code_ = CUDA_SUCCESS;
  std::string failed_node_;
};

}  // namespace thallo::cuda
