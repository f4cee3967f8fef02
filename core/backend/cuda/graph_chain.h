#pragma once

// A CUDA graph as a chain: nodes that run one after the other.

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

// Adds nodes to a graph, each depending on the one before. After the first failure, which is kept,
// later calls do nothing. On a device that can launch early, an edge between two kernels is
// programmatic: the second is launched while the first still runs, and its text begins by waiting
// for the end of the first (core/kernel/emit.h). This hides part of the launch time, about 0.15 us
// on an H100.
class GraphChain {
 public:
  GraphChain(const Device& device, CUgraph graph)
      : context_(device.context()), launches_early_(device.launches_early()), graph_(graph) {}

  // Hands over the captured graphs of library operations; needed before add() of such a step.
  void use(const CapturedGraphs& captured) { captured_ = &captured; }

  // `handle` is the condition that a kernel with a loop condition sets; 0: none. A dense solve
  // cannot be added.
  void add(const BoundStep& step, CUgraphConditionalHandle handle);
  // Adds a WHILE node and returns the graph of its body; null after a failure.
  CUgraph add_while(CUgraphConditionalHandle handle);

  // The first failure, with the name of its node.
  Expected<void> check() const;

 private:
  void add_kernel(const BoundLaunch& kernel, CUgraphConditionalHandle handle);
  void add_clear(const BoundClear& zero);
  void add_node(CUgraphNodeParams& params, const std::string& label);

  CUcontext context_;
  bool launches_early_;
  CUgraph graph_;
  const CapturedGraphs* captured_ = nullptr;
  CUgraphNode previous_ = nullptr;
  bool previous_is_kernel_ = false;
  CUresult code_ = CUDA_SUCCESS;
  std::string failed_node_;
};

}  // namespace thallo::cuda
