#include "core/backend/cuda/linear_loop.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "core/backend/cuda/captured_graph.h"
#include "core/backend/cuda/driver.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

// Adds nodes to a graph, each depending on the one before. After the first failure, which is kept,
// later calls do nothing. On a device that can launch early, an edge between two kernels is
// programmatic: the second is launched while the first still runs, and its text begins by waiting
// for the end of the first (core/kernel/emit.h). This hides part of the launch time, about 0.15 us
// on an H200.
class ChainBuilder {
 public:
  ChainBuilder(const Device& device, CUgraph graph)
      : context_(device.context()), launches_early_(device.launches_early()), graph_(graph) {}

  // Hands over the captured graphs of library operations; needed before add() of such a step.
  void use(const std::map<const BoundStep*, CapturedGraph>& captured) { captured_ = &captured; }

  CUresult code() const { return code_; }
  const std::string& failed_node() const { return failed_node_; }

  void add(const BoundStep& step, CUgraphConditionalHandle handle) {
    if (const auto* kernel = std::get_if<BoundLaunch>(&step)) {
      add_kernel(*kernel, handle);
    } else if (const auto* zero = std::get_if<BoundClear>(&step)) {
      add_clear(*zero);
    } else if (const auto* library = std::get_if<BoundLibrary>(&step)) {
      CUgraphNodeParams params = blank(CU_GRAPH_NODE_TYPE_GRAPH);
      params.graph.graph = captured_->at(&step).get();
      add_node(params, library->label);
    } else {
      THALLO_UNREACHABLE();  // a dense solve is no step of an iteration
    }
  }

  // Adds a WHILE node and returns the graph of its body; null after a failure.
  CUgraph add_while(CUgraphConditionalHandle handle) {
    CUgraphNodeParams params = blank(CU_GRAPH_NODE_TYPE_CONDITIONAL);
    params.conditional.handle = handle;
    params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    params.conditional.size = 1;
    params.conditional.ctx = context_;
    add_node(params, "while");
    return code_ == CUDA_SUCCESS ? params.conditional.phGraph_out[0] : nullptr;
  }

 private:
  // The driver demands that unused bytes are zero.
  static CUgraphNodeParams blank(CUgraphNodeType type) {
    CUgraphNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.type = type;
    return params;
  }

  void add_kernel(const BoundLaunch& kernel, CUgraphConditionalHandle handle) {
    std::vector<std::uint64_t> words = kernel.words;
    if (kernel.has_loop_condition) words[LoopHandleWord] = handle;
    void* arguments[] = {words.data()};  // copied by the driver
    CUgraphNodeParams params = blank(CU_GRAPH_NODE_TYPE_KERNEL);
    params.kernel.func = kernel.function;
    params.kernel.gridDimX = kernel.num_blocks;
    params.kernel.gridDimY = params.kernel.gridDimZ = 1;
    params.kernel.blockDimX = kernel.block_size;
    params.kernel.blockDimY = params.kernel.blockDimZ = 1;
    params.kernel.kernelParams = arguments;
    add_node(params, kernel.label);
    previous_is_kernel_ = true;
  }

  void add_clear(const BoundClear& zero) {
    if (zero.bytes == 0) return;
    CUgraphNodeParams params = blank(CU_GRAPH_NODE_TYPE_MEMSET);
    const bool whole_words = zero.bytes % 4 == 0;
    params.memset.dst = zero.pointer;
    params.memset.elementSize = whole_words ? 4 : 1;
    params.memset.width = whole_words ? zero.bytes / 4 : zero.bytes;
    params.memset.height = 1;
    params.memset.ctx = context_;
    add_node(params, "clear");
  }

  void add_node(CUgraphNodeParams& params, const std::string& label) {
    if (code_ != CUDA_SUCCESS) return;
    CUgraphNode node = nullptr;
    CUgraphEdgeData edge;
    std::memset(&edge, 0, sizeof edge);
    if (launches_early_ && previous_is_kernel_ && params.type == CU_GRAPH_NODE_TYPE_KERNEL) {
      edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
      edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    }
    code_ = driver().cuGraphAddNode_v2(&node, graph_, previous_ ? &previous_ : nullptr,
                                       previous_ ? &edge : nullptr, previous_ ? 1 : 0, &params);
    if (code_ != CUDA_SUCCESS) failed_node_ = label;
    previous_ = node;
    previous_is_kernel_ = false;
  }

  CUcontext context_;
  bool launches_early_;
  CUgraph graph_;
  const std::map<const BoundStep*, CapturedGraph>* captured_ = nullptr;
  CUgraphNode previous_ = nullptr;
  bool previous_is_kernel_ = false;
  CUresult code_ = CUDA_SUCCESS;
  std::string failed_node_;
};

}  // namespace

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
  ChainBuilder outer(device, loop->graph_);
  const CUgraph body = outer.add_while(handle);
  if (outer.code() != CUDA_SUCCESS) {
    return fail("cuGraphAddNode({}): {}", outer.failed_node(), error_text(outer.code()));
  }

  std::map<const BoundStep*, CapturedGraph> captured;
  for (const auto* list : {&steps.iteration, &steps.reset}) {
    for (const BoundStep* step : *list) {
      const auto* library = std::get_if<BoundLibrary>(step);
      if (library == nullptr) continue;
      auto graph = CapturedGraph::of(stream, *library);
      if (!graph) return fail(graph.error());
      captured.emplace(step, std::move(*graph));
    }
  }
  ChainBuilder chain(device, body);
  chain.use(captured);
  for (int i = 1; i <= shape.unroll; ++i) {
    const bool last = i == shape.unroll;
    for (const BoundStep* step : steps.iteration) chain.add(*step, last ? handle : 0);
    if (shape.reset_every > 0 && i % shape.reset_every == 0) {
      for (const BoundStep* step : steps.reset) chain.add(*step, last ? handle : 0);
    }
  }
  if (chain.code() != CUDA_SUCCESS) {
    return fail("cuGraphAddNode({}): {}", chain.failed_node(), error_text(chain.code()));
  }
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
