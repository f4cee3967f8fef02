#pragma once

// Adds nodes to a graph, or to the body of one of its WHILE nodes, as a chain: each node depends on
// the previous one.

#include <cuda.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/backend/cuda/captured_graph.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"

namespace thallo::cuda {

using CapturedGraphs = std::map<const BoundStep*, CapturedGraph>;
// Captures the library operations among the steps. Fails if CapturedGraph::of() fails.
Expected<CapturedGraphs> capture_libraries(
    const Stream& stream, std::span<const std::vector<const BoundStep*>* const> lists);

// How a kernel follows a kernel. Programmatic: it is launched while the previous kernel still runs,
// and begins by waiting for the end of that kernel (core/kernel/emit.h). This hides part of the
// launch time, about 0.15 us on an H200. The device must support early launches.
enum class ChainEdges { Full, Programmatic };

// Returns the kind of edges that the linear loop uses on a device.
ChainEdges loop_edges(const Device& device);

// A kernel with the argument struct that its node has in a graph.
struct KernelNode {
  CUgraphNode node = nullptr;
  CUfunction function = nullptr;
  LaunchGrid grid;
  std::vector<std::uint64_t> words;

  // `handle` is 0 unless the kernel sets a condition.
  static KernelNode of(const BoundLaunch& kernel, CUgraphConditionalHandle handle);
  // Returns parameters that refer to `words`.
  CUgraphNodeParams parameters(void*& argument);
};

// Keeps its first failure; after it, later calls do nothing.
class GraphChain {
 public:
  GraphChain(const Device& device, CUgraph graph, ChainEdges edges)
      : context_(device.context()), edges_(edges), graph_(graph) {}

  // Provides the captured graphs of library operations, which must happen before add() is called
  // for such a step.
  void use(const CapturedGraphs& captured) { captured_ = &captured; }

  // Adds a step. A kernel with a loop condition sets the condition of `handle`; 0 means none. A
  // solve by the host cannot be added.
  void add(const BoundStep& step, CUgraphConditionalHandle handle = 0);
  // Adds a WHILE node and returns the graph of its body; null after a failure.
  CUgraph add_while(CUgraphConditionalHandle handle);

  // Returns the kernels that were added, in order.
  const std::vector<KernelNode>& kernels() const { return kernels_; }
  // Returns the first failure, that is, the first node that the driver refused.
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
  std::vector<KernelNode> kernels_;
  CUresult code_ = CUDA_SUCCESS;
  std::string failed_node_;
};

}  // namespace thallo::cuda
