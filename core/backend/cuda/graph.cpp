#include "core/backend/cuda/graph.h"

#include "core/backend/cuda/driver.h"

namespace thallo::cuda {

Graph::Graph() { THALLO_CUDA(cuGraphCreate(&graph_, 0)); }

Graph::~Graph() {
  if (executable_ != nullptr) driver().cuGraphExecDestroy(executable_);
  driver().cuGraphDestroy(graph_);
}

Expected<CUgraphConditionalHandle> Graph::make_condition(const Device& device) const {
  if (driver().cuGraphConditionalHandleCreate == nullptr) {
    return fail("this driver has no conditional graph nodes (CUDA 12.4 has)");
  }
  CUgraphConditionalHandle handle = 0;
  if (const CUresult code = driver().cuGraphConditionalHandleCreate(
          &handle, graph_, device.context(), 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
      code != CUDA_SUCCESS) {
    return fail("cuGraphConditionalHandleCreate: {}", error_text(code));
  }
  return handle;
}

Expected<void> Graph::instantiate(const Stream& stream) {
  if (const CUresult code = driver().cuGraphInstantiateWithFlags(&executable_, graph_, 0);
      code != CUDA_SUCCESS) {
    return fail("cuGraphInstantiate: {}", error_text(code));
  }
  THALLO_CUDA(cuGraphUpload(executable_, stream.get()));
  return {};
}

Expected<void> Graph::set_parameters(CUgraphNode node, CUgraphNodeParams& parameters) const {
  const CUresult code = driver().cuGraphExecNodeSetParams(executable_, node, &parameters);
  if (code == CUDA_SUCCESS) return {};
  return fail("cuGraphExecNodeSetParams: {}", error_text(code));
}

void Graph::launch(const Stream& stream, std::string_view label) const {
  THALLO_CUDA_FOR(label, cuGraphLaunch(executable_, stream.get()));
}

}  // namespace thallo::cuda
