#include "core/backend/cuda/linear_loop.h"

#include <array>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/graph_chain.h"
#include "core/base/log.h"

namespace thallo::cuda {
Expected<std::unique_ptr<LoopGraph>> LoopGraph::build(const Device& device, const Stream& stream,
                                                      const LoopSteps& steps, LoopShape shape) {
  if (driver().cuGraphConditionalHandleCreate == nullptr) {
    return fail("this driver has no conditional graph nodes (CUDA 12.4 has)");
  }
  std::unique_ptr<LoopGraph> loop(new LoopGraph(shape));
  THALLO_CUDA(cuGraphCreate(&loop->graph_, 0));
  CUgraphConditionalHandle handle = 0;
  if (const CUresult code = driver().cuGraphConditionalHandleCreate(
          &handle, loop->graph_, device.context(), 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
      code != CUDA_SUCCESS) {
    return fail("cuGraphConditionalHandleCreate: {}", error_text(code));
  }
  GraphChain outer(device, loop->graph_);
  const CUgraph body = outer.add_while(handle);
  if (auto built = outer.check(); !built) return fail(built.error());

  const auto captured = capture_libraries(stream, std::array{&steps.iteration, &steps.reset});
  if (!captured) return fail(captured.error());
  GraphChain chain(device, body);
  chain.use(*captured);
  for (int i = 1; i <= shape.unroll; ++i) {
    const bool last = i == shape.unroll;
    for (const BoundStep* step : steps.iteration) chain.add(*step, last ? handle : 0);
    if (shape.reset_every > 0 && i % shape.reset_every == 0) {
      for (const BoundStep* step : steps.reset) chain.add(*step, last ? handle : 0);
    }
  }
  if (auto built = chain.check(); !built) return fail(built.error());
  if (const CUresult code =
          driver().cuGraphInstantiateWithFlags(&loop->executable_, loop->graph_, 0);
      code != CUDA_SUCCESS) {
    return fail("cuGraphInstantiate: {}", error_text(code));
  }
  THALLO_CUDA(cuGraphUpload(loop->executable_, stream.get()));
  logger("cuda").debug("linear loop as a graph: {} iterations unrolled, reset every {}",
                       shape.unroll, shape.reset_every);
  return loop;
}

LoopGraph::~LoopGraph() {
  if (executable_ != nullptr) driver().cuGraphExecDestroy(executable_);
  if (graph_ != nullptr) driver().cuGraphDestroy(graph_);
}

void LoopGraph::launch(const Stream& stream) const {
  THALLO_CUDA_FOR("linear loop", cuGraphLaunch(executable_, stream.get()));
}

}  // namespace thallo::cuda
