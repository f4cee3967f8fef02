#include "core/backend/cuda/linear_loop.h"

#include <array>
#include <utility>

#include "core/backend/cuda/graph_chain.h"
#include "core/base/log.h"

namespace thallo::cuda {

// Visits the steps of the body in their order, each with the condition that it sets; 0 means none.
template <class Visit>
void LoopGraph::for_each_step(const LoopSteps& steps, Visit visit) const {
  for (int i = 1; i <= shape_.unroll; ++i) {
    const CUgraphConditionalHandle condition = i == shape_.unroll ? condition_ : 0;
    for (const BoundStep* step : steps.iteration) visit(*step, condition);
    if (shape_.reset_every > 0 && i % shape_.reset_every == 0) {
      for (const BoundStep* step : steps.reset) visit(*step, condition);
    }
  }
}

Expected<std::unique_ptr<LoopGraph>> LoopGraph::build(const Device& device, const Stream& stream,
                                                      const LoopSteps& steps, LoopShape shape) {
  std::unique_ptr<LoopGraph> loop(new LoopGraph(shape));
  const auto handle = loop->graph_.make_condition(device);
  if (!handle) return fail(handle.error());
  loop->condition_ = *handle;
  GraphChain outer(device, loop->graph_.get(), loop_edges(device));
  const CUgraph body = outer.add_while(*handle);
  if (const auto added = outer.result(); !added) return fail(added.error());

  const auto captured = capture_libraries(stream, std::array{&steps.iteration, &steps.reset});
  if (!captured) return fail(captured.error());
  GraphChain chain(device, body, loop_edges(device));
  chain.use(*captured);
  loop->for_each_step(steps, [&](const BoundStep& step, CUgraphConditionalHandle condition) {
    chain.add(step, condition);
  });
  if (const auto added = chain.result(); !added) return fail(added.error());
  if (auto done = loop->graph_.instantiate(stream); !done) return fail(done.error());
  loop->kernels_ = chain.kernels();
  logger("cuda").debug("linear loop as a graph: {} iterations unrolled, reset every {}",
                       shape.unroll, shape.reset_every);
  return loop;
}

Expected<void> LoopGraph::update(const LoopSteps& steps) {
  std::size_t next = 0;
  std::size_t num_changed = 0;
  Expected<void> result;
  for_each_step(steps, [&](const BoundStep& step, CUgraphConditionalHandle condition) {
    const auto* kernel = std::get_if<BoundLaunch>(&step);
    if (kernel == nullptr || !result) return;
    KernelNode wanted = KernelNode::of(*kernel, condition);
    KernelNode& known = kernels_[next++];
    if (wanted.words == known.words) return;
    wanted.node = known.node;
    void* argument = nullptr;
    CUgraphNodeParams parameters = wanted.parameters(argument);
    result = graph_.set_parameters(known.node, parameters);
    known = std::move(wanted);
    ++num_changed;
  });
  logger("cuda").debug("linear loop: {} of {} kernels of the graph have other arguments",
                       num_changed, kernels_.size());
  return result;
}

void LoopGraph::launch(const Stream& stream) const { graph_.launch(stream, "linear loop"); }

}  // namespace thallo::cuda
