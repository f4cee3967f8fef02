#include "core/backend/cuda/calibrate.h"

#include <cuda.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/backend/calibration.h"
#include "core/backend/cuda/captured_graph.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/graph.h"
#include "core/backend/cuda/graph_chain.h"
#include "core/backend/cuda/libraries.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/loop_shape.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/cuda/sources.h"
#include "core/backend/cuda/storage.h"
#include "core/backend/probe_programs.h"
#include "core/base/log.h"
#include "core/kernel/state.h"

namespace thallo::cuda {
namespace {

// Times work on a stream with the device's own clock.
class StreamTimer {
 public:
  explicit StreamTimer(const Stream& stream);
  ~StreamTimer();
  StreamTimer(const StreamTimer&) = delete;
  StreamTimer& operator=(const StreamTimer&) = delete;

  // Returns the seconds of the work that `enqueue` enqueues: the fastest of several runs, after one
  // run to warm up.
  double seconds_of(const std::function<void()>& enqueue) const;

 private:
  static constexpr int Repetitions = 5;

  const Stream& stream_;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
};

StreamTimer::StreamTimer(const Stream& stream) : stream_(stream) {
  THALLO_CUDA(cuEventCreate(&start_, CU_EVENT_DEFAULT));
  THALLO_CUDA(cuEventCreate(&stop_, CU_EVENT_DEFAULT));
}

StreamTimer::~StreamTimer() {
  driver().cuEventDestroy_v2(start_);
  driver().cuEventDestroy_v2(stop_);
}

double StreamTimer::seconds_of(const std::function<void()>& enqueue) const {
  enqueue();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < Repetitions; ++i) {
    THALLO_CUDA(cuEventRecord(start_, stream_.get()));
    enqueue();
    THALLO_CUDA(cuEventRecord(stop_, stream_.get()));
    THALLO_CUDA(cuEventSynchronize(stop_));
    float milliseconds = 0;
    THALLO_CUDA(cuEventElapsedTime(&milliseconds, start_, stop_));
    best = std::min(best, 1e-3 * static_cast<double>(milliseconds));
  }
  return best;
}

constexpr unsigned int ProbeBlockSize = 256;

// What every kernel of kernels/calibrate.cu takes; addresses are device addresses.
struct ProbeArgs {
  std::uint64_t in = 0, out = 0;
  std::int64_t count = 0;
  // The number of records of a table, of addresses of an addition, or of passes of a copy. It is
  // also the word in which a graph passes the handle of its condition (launch.h).
  std::int64_t range = 0;
};

// The kernels of kernels/calibrate.cu that graphs consist of, and memory that `set` and `turn` may
// write to.
struct GraphProbe {
  CUfunction empty = nullptr;
  CUfunction set = nullptr;
  CUfunction turn = nullptr;
  CUdeviceptr memory = 0;
};

constexpr int ShortChain = 16;
constexpr int LongChain = 144;
constexpr std::size_t SmallBufferBytes = 4096;

std::vector<std::uint64_t> words_of(const ProbeArgs& args) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 4>>(args);
  return {words.begin(), words.end()};
}

// Measures the overhead of graph nodes, as the linear loop uses them (step_graph.h).
class GraphCosts {
 public:
  GraphCosts(const Device& device, const Stream& stream, const GraphProbe& probe)
      : device_(device), stream_(stream), probe_(probe), timer_(stream) {}

  Expected<void> measure(DeviceSpec& spec) {
    const auto num_blocks = static_cast<unsigned int>(device_.info().num_units);
    const BoundStep empty = kernel(probe_.empty, num_blocks, {}, false);
    if (auto done = measure_node(ChainEdges::Full, empty, spec.node); !done) return done;
    THALLO_CHECK(measure_node(loop_edges(device_), empty, spec.programmatic_node));
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
      THALLO_TRY(const auto handle, graph.make_condition(device_));
      GraphChain chain(device_, graph.get(), ChainEdges::Full);
      chain.add(kernel(probe_.set, 1, {.out = probe_.memory, .count = count}, false));
      const CUgraph body = chain.add_while(handle);
      if (auto added = chain.result(); !added) return added;
      GraphChain loop(device_, body, ChainEdges::Full);
      loop.add(kernel(probe_.turn, 1, {.out = probe_.memory}, true), handle);
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
    THALLO_TRY(auto sizes, ProgramSizes::make(library.program, library.binding));
    const ProgramSizes tables = sizes;
    THALLO_TRY(const auto storage, Storage::allocate(library.program, Precision::Float,
                                                     std::move(sizes), library.binding));
    storage->clear_buffers(stream_);
    storage->upload_maps(tables, library.binding, stream_);
    THALLO_TRY(const auto opened, Libraries::open(library.program, Precision::Float, stream_));
    if (auto bound = opened->bind(*storage); !bound) return fail(bound.error());

    const BoundStep step = BoundLibrary{opened.get(), library.product, "calibrate"};
    THALLO_TRY(auto graph, CapturedGraph::of(stream_, std::get<BoundLibrary>(step)));
    std::map<const BoundStep*, CapturedGraph> captured;
    captured.emplace(&step, std::move(graph));
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

// Sets node, programmatic_node, loop_turn, clear and library. spec.launch must be set: if the
// driver has no conditional nodes, the host runs the loop, so a node costs a launch there. The cost
// of a library operation is 0 if the library cannot be opened or captured; the log says why.
Expected<void> measure_graphs(const Device& device, const Stream& stream, const GraphProbe& probe,
                              DeviceSpec& spec) {
  return GraphCosts(device, stream, probe).measure(spec);
}

constexpr unsigned int BlocksPerUnit = 8;
constexpr std::int64_t MiB = 1 << 20;
constexpr std::int64_t VectorBytes = 16;  // float4
constexpr std::int64_t RecordBytes = 32;

class KernelRates {
 public:
  KernelRates(const Stream& stream, const Module& module, int num_units, const DeviceBuffer& in,
              const DeviceBuffer& out)
      : stream_(stream),
        module_(module),
        num_blocks_(static_cast<unsigned int>(num_units) * BlocksPerUnit),
        in_(in),
        out_(out),
        timer_(stream) {}

  void measure(DeviceSpec& spec) {
    measure_memory(spec);
    measure_additions(spec);
    measure_arithmetic(spec);
    const CUfunction empty = module_.function("empty");
    const ProbeArgs args{};
    constexpr int num_launches = 200;
    const double seconds = seconds_of([&] {
      for (int i = 0; i < num_launches; ++i)
        launch(stream_.get(), empty, {1, ProbeBlockSize}, &args, "empty");
      stream_.synchronize();
    });
    spec.launch = seconds / num_launches;
    PinnedBuffer state(sizeof(SolverState));
    spec.round_trip = seconds_of([&] {
      launch(stream_.get(), empty, {1, ProbeBlockSize}, &args, "empty");
      THALLO_CUDA(
          cuMemcpyDtoHAsync_v2(state.data(), out_.pointer(), sizeof(SolverState), stream_.get()));
      stream_.synchronize();
    });
  }

 private:
  double time(const std::string& kernel, std::int64_t count, std::int64_t range = 0) {
    const CUfunction function = module_.function(kernel);
    const ProbeArgs args{in_.pointer(), out_.pointer(), count, range};
    return timer_.seconds_of([&] {
      launch(stream_.get(), function, {num_blocks_, ProbeBlockSize}, &args, kernel);
    });
  }

  void measure_memory(DeviceSpec& spec) {
    const auto bytes = static_cast<std::int64_t>(in_.bytes());
    spec.copy = 2 * static_cast<double>(bytes) / time("copy", bytes / VectorBytes, 1);
    spec.read = static_cast<double>(bytes) / time("read", bytes / VectorBytes);
    // Both arrays fill half of the cache.
    constexpr std::int64_t passes = 50;
    const std::int64_t cached =
        std::clamp(static_cast<std::int64_t>(spec.cache) / 4, MiB / 16, bytes);
    spec.cached_copy =
        2 * static_cast<double>(passes * cached) / time("copy", cached / VectorBytes, passes);
    constexpr std::int64_t num_reads = 5'000'000;
    std::vector<RateCurve::Point> points;
    for (const std::int64_t table : {3 * MiB, 32 * MiB, 192 * MiB}) {
      if (table > bytes) continue;
      points.push_back(
          {static_cast<double>(table), static_cast<double>(num_reads * RecordBytes) /
                                           time("gather", num_reads, table / RecordBytes)});
    }
    spec.gather = RateCurve(std::move(points));
    constexpr std::int64_t num_loads = 5'000;
    spec.load_latency = time("chase", num_loads, bytes / 4) / num_loads;
  }

  void measure_additions(DeviceSpec& spec) {
    constexpr std::int64_t num_adds = 4'000'000;
    std::vector<RateCurve::Point> points;
    for (const std::int64_t addresses : {1, 1'000, 100'000, 10'000'000}) {
      points.push_back({static_cast<double>(addresses),
                        static_cast<double>(num_adds) / time("atomic", num_adds, addresses)});
    }
    spec.atomic = RateCurve(std::move(points));
    spec.private_add = static_cast<double>(num_adds) / time("private_add", num_adds);
  }

  void measure_arithmetic(DeviceSpec& spec) {
    const double threads = static_cast<double>(num_blocks_) * ProbeBlockSize;
    constexpr std::int64_t flop_rounds = 10'000;  // of eight multiply-adds, two flops each
    const double flops = 16 * static_cast<double>(flop_rounds) * threads;
    spec.float_flops = flops / time("flops_float", flop_rounds);
    spec.double_flops = flops / time("flops_double", flop_rounds);
    constexpr std::int64_t sine_rounds = 200;  // of four sines
    const double sines = 4 * static_cast<double>(sine_rounds) * threads;
    spec.float_transcendentals = sines / time("sines_float", sine_rounds);
    spec.double_transcendentals = sines / time("sines_double", sine_rounds);
  }

  const Stream& stream_;
  const Module& module_;
  unsigned int num_blocks_;
  const DeviceBuffer& in_;
  const DeviceBuffer& out_;
  StreamTimer timer_;
};

}  // namespace

Expected<DeviceSpec> calibrate(const Device& device, std::string signature) {
  device.make_current();
  const Stream stream;
  THALLO_TRY(const auto module, compile_and_load(own_source("calibrate"), device));
  const auto bytes = static_cast<std::size_t>(
      std::clamp<std::int64_t>(device.info().memory_bytes / 16, 64 * MiB, 1024 * MiB));
  THALLO_TRY(const auto in, DeviceBuffer::allocate(bytes, "the array that is read"));
  THALLO_TRY(const auto out, DeviceBuffer::allocate(bytes, "the array that is written"));
  clear(stream.get(), in.pointer(), in.bytes());
  clear(stream.get(), out.pointer(), out.bytes());

  DeviceSpec spec;
  spec.name = device.info().name;
  spec.backend = "cuda";
  spec.signature = std::move(signature);
  spec.units = device.info().num_units;
  spec.lanes = device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  spec.threads_per_unit = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  spec.registers_per_unit = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  spec.memory = static_cast<double>(device.info().memory_bytes);
  spec.cache = device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  spec.sector = 32;
  KernelRates(stream, module, device.info().num_units, in, out).measure(spec);
  const GraphProbe probe{.empty = module.function("empty"),
                         .set = module.function("set"),
                         .turn = module.function("turn"),
                         .memory = out.pointer()};
  if (auto done = measure_graphs(device, stream, probe, spec); !done) return fail(done.error());
  return as_measured(std::move(spec));
}

}  // namespace thallo::cuda
