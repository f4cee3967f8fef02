#include "core/backend/cuda/calibrate_graphs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "core/backend/calibration.h"
#include "core/backend/cuda/captured_graph.h"
#include "core/backend/cuda/graph.h"
#include "core/backend/cuda/graph_chain.h"
#include "core/backend/cuda/libraries.h"
#include "core/backend/cuda/loop_shape.h"
#include "core/backend/cuda/storage.h"
#include "core/backend/cuda/stream_timer.h"
#include "core/backend/probe_programs.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

constexpr int ShortChain = 16;
constexpr int LongChain = 144;
constexpr std::size_t SmallBufferBytes = 4096;

std::vector<std::uint64_t> words_of(const ProbeArgs& args) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 4>>(args);
  return {words.begin(), words.end()};
}

class GraphCosts {
 public:
  GraphCosts(const Device& device, const Stream& stream, const GraphProbe& probe)
      : device_(device), stream_(stream), probe_(probe), timer_(stream) {}

  Expected<void> measure(DeviceSpec& spec) {
    const auto num_blocks = static_cast<unsigned int>(device_.info().num_units);
    const BoundStep empty = kernel(probe_.empty, num_blocks, {}, false);
    if (auto done = measure_node(ChainEdges::Full, empty, spec.node); !done) return done;
    if (auto done = measure_node(loop_edges(device_), empty, spec.programmatic_node); !done)
      return done;
    const BoundStep zero = BoundClear{probe_.memory, SmallBufferBytes};
    if (auto done = measure_node(ChainEdges::Full, zero, spec.clear); !done) return done;
    if (const auto library = library_seconds()) {
      spec.library = *library;
    } else {
      logger("cuda").info("library operations are not calibrated: {}", library.error().message());
    }
    return measure_turn(spec);
  }

 private:
  using Nodes = std::function<Expected<void>(Graph&, int count)>;

  // Returns the seconds that a node adds to a graph, from the difference between graphs of few and
  // of many nodes.
  Expected<double> slope(const Nodes& add_nodes) const {
    double seconds[2] = {};
    for (const int count : {ShortChain, LongChain}) {
      Graph graph;
      if (auto added = add_nodes(graph, count); !added) return fail(added.error());
      if (auto done = graph.instantiate(stream_); !done) return fail(done.error());
      seconds[count == LongChain] = timer_.seconds_of([&] { graph.launch(stream_, "calibrate"); });
    }
    return std::max(0.0, seconds[1] - seconds[0]) / (LongChain - ShortChain);
  }

  Expected<void> measure_node(ChainEdges edges, const BoundStep& step, double& seconds) const {
    const auto found = slope([&](Graph& graph, int count) {
      GraphChain chain(device_, graph.get(), edges);
      for (int i = 0; i < count; ++i) chain.add(step);
      return chain.result();
    });
    if (!found) return fail(found.error());
    seconds = *found;
    return {};
  }

  // Times a WHILE node whose body is one kernel that counts its turns, and subtracts the cost of
  // the kernel's own node.
  Expected<void> measure_turn(DeviceSpec& spec) const {
    const auto turn = slope([&](Graph& graph, int count) -> Expected<void> {
      const auto handle = graph.make_condition(device_);
      if (!handle) return fail(handle.error());
      GraphChain chain(device_, graph.get(), ChainEdges::Full);
      chain.add(kernel(probe_.set, 1, {.out = probe_.memory, .count = count}, false));
      const CUgraph body = chain.add_while(*handle);
      if (auto added = chain.result(); !added) return added;
      GraphChain loop(device_, body, ChainEdges::Full);
      loop.add(kernel(probe_.turn, 1, {.out = probe_.memory}, true), *handle);
      return loop.result();
    });
    if (turn) {
      // A turn of the linear loop runs many iterations.
      spec.loop_turn = std::max(0.0, *turn - spec.node) / MaxUnroll;
      return {};
    }
    logger("cuda").info("the host runs loops on this device: {}", turn.error().message());
    spec.node = spec.launch;
    spec.programmatic_node = spec.launch;
    spec.loop_turn = seconds_of([&] { stream_.synchronize(); });
    return {};
  }

  Expected<double> library_seconds() const {
    const LibraryProbe library = library_probe();
    auto sizes = ProgramSizes::make(library.program, library.binding);
    if (!sizes) return fail(sizes.error());
    const ProgramSizes tables = *sizes;
    const auto storage =
        Storage::allocate(library.program, Precision::Float, *std::move(sizes), library.binding);
    if (!storage) return fail(storage.error());
    (*storage)->clear_buffers(stream_);
    (*storage)->upload_maps(tables, library.binding, stream_);
    const auto opened = Libraries::open(library.program, Precision::Float, stream_);
    if (!opened) return fail(opened.error());
    if (auto bound = (*opened)->bind(**storage); !bound) return fail(bound.error());

    const BoundStep step = BoundLibrary{opened->get(), library.product, "calibrate"};
    auto graph = CapturedGraph::of(stream_, std::get<BoundLibrary>(step));
    if (!graph) return fail(graph.error());
    std::map<const BoundStep*, CapturedGraph> captured;
    captured.emplace(&step, *std::move(graph));
    return slope([&](Graph& whole, int count) {
      GraphChain chain(device_, whole.get(), ChainEdges::Full);
      chain.use(captured);
      for (int i = 0; i < count; ++i) chain.add(step);
      return chain.result();
    });
  }

  static BoundLaunch kernel(CUfunction function, unsigned int num_blocks, const ProbeArgs& args,
                            bool has_loop_condition) {
    return {.function = function,
            .num_blocks = num_blocks,
            .block_size = ProbeBlockSize,
            .words = words_of(args),
            .has_loop_condition = has_loop_condition,
            .label = "calibrate"};
  }

  const Device& device_;
  const Stream& stream_;
  const GraphProbe& probe_;
  StreamTimer timer_;
};

}  // namespace

Expected<void> measure_graphs(const Device& device, const Stream& stream, const GraphProbe& probe,
                              DeviceSpec& spec) {
  return GraphCosts(device, stream, probe).measure(spec);
}

}  // namespace thallo::cuda
