#include "core/backend/cuda/step_graph.h"

#include <array>
#include <utility>

#include "core/base/log.h"

namespace thallo::cuda {

// Visits the steps of the body in their order, each with the condition that it sets; 0 means none.
template <class Visit>
void StepGraph::for_each_of_body(const GraphSteps& steps, Visit visit) const {
  if (!loop_) return;
  for (int i = 1; i <= loop_->unroll; ++i) {
    const CUgraphConditionalHandle condition = i == loop_->unroll ? condition_ : 0;
    for (const BoundStep* step : steps.iteration) visit(*step, condition);
    if (loop_->reset_every > 0 && i % loop_->reset_every == 0) {
      for (const BoundStep* step : steps.reset) visit(*step, condition);
    }
  }
}

Expected<std::unique_ptr<StepGraph>> StepGraph::build(const Device& device, const Stream& stream,
                                                      const GraphSteps& steps,
                                                      std::optional<LoopShape> loop) {
  std::unique_ptr<StepGraph> made(new StepGraph(loop));
  THALLO_TRY(const auto captured,
             capture_libraries(
                 stream, std::array{&steps.before, &steps.iteration, &steps.reset, &steps.after}));

  GraphChain chain(device, made->graph_.get(), loop_edges(device));
  chain.use(captured);
  for (const BoundStep* step : steps.before) chain.add(*step);
  std::vector<KernelNode>& kernels = made->kernels_;
  kernels = chain.kernels();
  const auto num_before = static_cast<std::ptrdiff_t>(kernels.size());
  if (loop) {
    THALLO_TRY(const auto handle, made->graph_.make_condition(device));
    made->condition_ = handle;
    const CUgraph body = chain.add_while(handle);
    if (const auto added = chain.result(); !added) return fail(added.error());
    GraphChain inner(device, body, loop_edges(device));
    inner.use(captured);
    made->for_each_of_body(steps, [&](const BoundStep& step, CUgraphConditionalHandle condition) {
      inner.add(step, condition);
    });
    if (const auto added = inner.result(); !added) return fail(added.error());
    kernels.insert(kernels.end(), inner.kernels().begin(), inner.kernels().end());
    logger("cuda").debug("linear loop as a graph: {} iterations unrolled, reset every {}",
                         loop->unroll, loop->reset_every);
  }
  for (const BoundStep* step : steps.after) chain.add(*step);
  if (const auto added = chain.result(); !added) return fail(added.error());
  kernels.insert(kernels.end(), chain.kernels().begin() + num_before, chain.kernels().end());
  if (auto done = made->graph_.instantiate(stream); !done) return fail(done.error());
  return made;
}

Expected<void> StepGraph::update(const GraphSteps& steps) {
  auto known = kernels_.begin();
  Expected<void> result;
  const auto visit = [&](const BoundStep& step, CUgraphConditionalHandle condition) {
    for (const BoundLaunch& kernel : kernels_of(step))
      if (result) result = update(kernel, condition, *known++);
  };
  for (const BoundStep* step : steps.before) visit(*step, 0);
  for_each_of_body(steps, visit);
  for (const BoundStep* step : steps.after) visit(*step, 0);
  return result;
}

Expected<void> StepGraph::update(const BoundLaunch& kernel, CUgraphConditionalHandle condition,
                                 KernelNode& known) {
  KernelNode wanted = KernelNode::of(kernel, condition);
  if (wanted.words == known.words) return {};
  wanted.node = known.node;
  void* argument = nullptr;
  CUgraphNodeParams parameters = wanted.parameters(argument);
  auto result = graph_.set_parameters(known.node, parameters);
  known = std::move(wanted);
  return result;
}

void StepGraph::launch(const Stream& stream) const { graph_.launch(stream, "graph"); }

}  // namespace thallo::cuda
