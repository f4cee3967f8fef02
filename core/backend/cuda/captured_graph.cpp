#include "core/backend/cuda/captured_graph.h"

#include <optional>
#include <vector>

#include "core/backend/cuda/driver.h"
#include "core/base/error.h"

namespace thallo::cuda {
namespace {

bool may_be_in_a_loop(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_EMPTY: return true;
    default: return false;
  }
}

Expected<void> check_nodes(CUgraph graph, const std::string& label) {
  std::size_t count = 0;
  THALLO_CUDA(cuGraphGetNodes(graph, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  if (count > 0) THALLO_CUDA(cuGraphGetNodes(graph, nodes.data(), &count));
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    THALLO_CUDA(cuGraphNodeGetType(node, &type));
    if (may_be_in_a_loop(type)) continue;
    return fail("'{}' has a node of type {}, which no body of a WHILE node may have", label,
                static_cast<int>(type));
  }
  return {};
}

std::string label_of(const BoundStep& step) {
  const auto* library = std::get_if<BoundLibrary>(&step);
  return library != nullptr ? library->label : "dense_factor";
}

}  // namespace

Expected<CapturedGraph> CapturedGraph::of(const Stream& stream, const BoundStep& step) {
  if (const CUresult code =
          driver().cuStreamBeginCapture_v2(stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
      code != CUDA_SUCCESS) {
    return fail("cuStreamBeginCapture({}): {}", label_of(step), error_text(code));
  }
  std::optional<Diagnostic> failed;
  try {
    enqueue(stream, step);
  } catch (const DeviceError& error) {
    failed = Diagnostic{error.what(), {}, {}};
  }
  CUgraph graph = nullptr;
  const CUresult code = driver().cuStreamEndCapture(stream.get(), &graph);
  CapturedGraph captured(graph);
  if (failed) return fail(*failed);
  if (code != CUDA_SUCCESS)
    return fail("cuStreamEndCapture({}): {}", label_of(step), error_text(code));
  if (auto legal = check_nodes(graph, label_of(step)); !legal) return fail(legal.error());
  return captured;
}

CapturedGraph::~CapturedGraph() {
  if (graph_ != nullptr) driver().cuGraphDestroy(graph_);
}

}  // namespace thallo::cuda
