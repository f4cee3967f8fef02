#include "core/backend/cuda/graph_chain.h"

#include <cstring>
#include <utility>
#include <variant>

#include "core/backend/cuda/driver.h"
#include "core/base/error.h"

namespace thallo::cuda {
namespace {

// The driver demands that unused bytes are zero.
CUgraphNodeParams blank_node(CUgraphNodeType type) {
  CUgraphNodeParams params;
  std::memset(&params, 0, sizeof params);
  params.type = type;
  return params;
}

}  // namespace

Expected<CapturedGraphs> capture_libraries(
    const Stream& stream, std::span<const std::vector<const BoundStep*>* const> lists) {
  CapturedGraphs captured;
  for (const auto* list : lists) {
    for (const BoundStep* step : *list) {
      if (!has_library(*step) || captured.contains(step)) continue;
      THALLO_TRY(auto graph, CapturedGraph::of(stream, *step));
      captured.emplace(step, std::move(graph));
    }
  }
  return captured;
}

KernelNode KernelNode::of(const BoundLaunch& kernel, CUgraphConditionalHandle handle) {
  KernelNode result{.function = kernel.function,
                    .grid = {kernel.num_blocks, kernel.block_size, kernel.shared_bytes},
                    .words = kernel.words};
  if (kernel.has_loop_condition) result.words[LoopHandleWord] = handle;
  return result;
}

CUgraphNodeParams KernelNode::parameters(void*& argument) {
  argument = words.data();  // copied by the driver
  CUgraphNodeParams params = blank_node(CU_GRAPH_NODE_TYPE_KERNEL);
  params.kernel.func = function;
  params.kernel.gridDimX = grid.num_blocks;
  params.kernel.gridDimY = params.kernel.gridDimZ = 1;
  params.kernel.blockDimX = grid.block_size;
  params.kernel.blockDimY = params.kernel.blockDimZ = 1;
  params.kernel.sharedMemBytes = grid.shared_bytes;
  params.kernel.kernelParams = &argument;
  return params;
}

ChainEdges loop_edges(const Device& device) {
  return device.launches_early() ? ChainEdges::Programmatic : ChainEdges::Full;
}

void GraphChain::add(const BoundStep& step, CUgraphConditionalHandle handle) {
  for (const BoundLaunch& kernel : kernels_of(step)) add_kernel(kernel, handle);
  if (const auto* zero = std::get_if<BoundClear>(&step)) {
    add_clear(*zero);
  } else if (has_library(step)) {
    CUgraphNodeParams params = blank_node(CU_GRAPH_NODE_TYPE_GRAPH);
    params.graph.graph = captured_->at(&step).get();
    add_node(params, "a library");
  }
  THALLO_ASSERT(!is_host_solve(step), "a solve by the host in a graph");
}

CUgraph GraphChain::add_while(CUgraphConditionalHandle handle) {
  CUgraphNodeParams params = blank_node(CU_GRAPH_NODE_TYPE_CONDITIONAL);
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = context_;
  add_node(params, "while");
  return code_ == CUDA_SUCCESS ? params.conditional.phGraph_out[0] : nullptr;
}

Expected<void> GraphChain::result() const {
  if (code_ == CUDA_SUCCESS) return {};
  return fail("cuGraphAddNode({}): {}", failed_node_, error_text(code_));
}

void GraphChain::add_kernel(const BoundLaunch& kernel, CUgraphConditionalHandle handle) {
  KernelNode added = KernelNode::of(kernel, handle);
  void* argument = nullptr;
  CUgraphNodeParams params = added.parameters(argument);
  add_node(params, kernel.label);
  added.node = previous_;
  kernels_.push_back(std::move(added));
  previous_is_kernel_ = true;
}

void GraphChain::add_clear(const BoundClear& zero) {
  if (zero.bytes == 0) return;
  CUgraphNodeParams params = blank_node(CU_GRAPH_NODE_TYPE_MEMSET);
  const bool whole_words = zero.bytes % 4 == 0;
  params.memset.dst = zero.pointer;
  params.memset.elementSize = whole_words ? 4 : 1;
  params.memset.width = whole_words ? zero.bytes / 4 : zero.bytes;
  params.memset.height = 1;
  params.memset.ctx = context_;
  add_node(params, "clear");
}

void GraphChain::add_node(CUgraphNodeParams& params, const std::string& label) {
  if (code_ != CUDA_SUCCESS) return;
  CUgraphNode node = nullptr;
  CUgraphEdgeData edge;
  std::memset(&edge, 0, sizeof edge);
  if (edges_ == ChainEdges::Programmatic && previous_is_kernel_ &&
      params.type == CU_GRAPH_NODE_TYPE_KERNEL) {
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
  code_ = driver().cuGraphAddNode_v2(&node, graph_, previous_ ? &previous_ : nullptr,
                                     previous_ ? &edge : nullptr, previous_ ? 1 : 0, &params);
  if (code_ != CUDA_SUCCESS) failed_node_ = label;
  previous_ = node;
  previous_is_kernel_ = false;
}

}  // namespace thallo::cuda
