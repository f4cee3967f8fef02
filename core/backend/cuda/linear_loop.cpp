#include "core/backend/cuda/linear_loop.h"

#include <array>
#include <utility>

#include "core/backend/cuda/graph_chain.h"
#include "core/base/log.h"

namespace thallo::cuda {

Expected<std::unique_ptr<LoopGraph>> LoopGraph::build(const Device& device, const Stream& stream,
                                                      const LoopSteps& steps, LoopShape shape) {
  std::unique_ptr<LoopGraph> loop(new LoopGraph(shape));
  const auto handle = loop->graph_.make_condition(device);
  if (!handle) return fail(handle.error());
  GraphChain outer(device, loop->graph_.get(), loop_edges(device));
  const CUgraph body = outer.add_while(*handle);
  if (const auto added = outer.result(); !added) return fail(added.error());

  const auto captured = capture_libraries(stream, std::array{&steps.iteration, &steps.reset});
  if (!captured) return fail(captured.error());
  GraphChain chain(device, body, loop_edges(device));
  chain.use(*captured);
  for (int i = 1; i <= shape.unroll; ++i) {
    const bool last = i == shape.unroll;
    for (const BoundStep* step : steps.iteration) chain.add(*step, last ? *handle : 0);
    if (shape.reset_every > 0 && i % shape.reset_every == 0) {
      for (const BoundStep* step : steps.reset) chain.add(*step, last ? *handle : 0);
    }
  }
  if (const auto added = chain.result(); !added) return fail(added.error());
  if (auto done = loop->graph_.instantiate(stream); !done) return fail(done.error());
  logger("cuda").debug("linear loop as a graph: {} iterations unrolled, reset every {}",
                       shape.unroll, shape.reset_every);
  return loop;
}

void LoopGraph::launch(const Stream& stream) const { graph_.launch(stream, "linear loop"); }

}  // namespace thallo::cuda
