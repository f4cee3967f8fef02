#include "core/backend/cuda/sequence_graphs.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/base/log.h"

namespace thallo::cuda {
namespace {

// Every batch of a solver has few sequences; others are of loops that were measured.
constexpr std::size_t MaxGraphs = 24;
// Making a graph of phases takes longer than launching them a few times.
constexpr int UsesWithoutGraph = 4;

bool wants_graphs() {
  const char* value = std::getenv("THALLO_CUDA_GRAPH");
  return !synchronous_launches() && (value == nullptr || std::string_view(value) != "0");
}

bool has_host_solve(const GraphSteps& steps) {
  return std::ranges::any_of(steps.after,
                             [](const BoundStep* step) { return is_host_solve(*step); });
}

}  // namespace

SequenceGraphs::SequenceGraphs(const Device& device, const Stream& stream, StepsOf steps_of)
    : device_(device), stream_(stream), steps_of_(std::move(steps_of)), are_used_(wants_graphs()) {}

StepGraph* SequenceGraphs::find(const Sequence& sequence) {
  if (!are_used_) return nullptr;
  auto found = graphs_.find(sequence);
  if (found == graphs_.end()) {
    if (graphs_.size() >= MaxGraphs) drop();
    found = graphs_.try_emplace(sequence).first;
  }
  Cached& cached = found->second;
  if (cached.graph != nullptr) return cached.graph.get();
  const bool is_time = sequence.loop || cached.num_uses == UsesWithoutGraph;
  ++cached.num_uses;
  if (!is_time) return nullptr;
  const GraphSteps steps = steps_of_(sequence);
  if (has_host_solve(steps)) return nullptr;
  auto graph = StepGraph::build(device_, stream_, steps, sequence.loop);
  if (graph) {
    cached.graph = std::move(*graph);
  } else if (sequence.loop) {
    logger("cuda").warn("the linear loop runs from the host: {}", graph.error().what);
    are_used_ = false;
  } else {
    logger("cuda").debug("phases are launched one by one: {}", graph.error().what);
  }
  return cached.graph.get();
}

void SequenceGraphs::update() {
  for (auto& [sequence, cached] : graphs_) {
    if (cached.graph == nullptr) continue;
    const auto updated = cached.graph->update(steps_of_(sequence));
    if (updated) continue;
    logger("cuda").debug("a graph is built anew: {}", updated.error().what);
    stream_.synchronize();  // it may be running
    cached = {};
  }
}

void SequenceGraphs::drop() {
  if (graphs_.empty()) return;
  stream_.synchronize();
  graphs_.clear();
}

}  // namespace thallo::cuda
