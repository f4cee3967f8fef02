#include "core/backend/cuda/calibrate.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/calibration.h"
#include "core/backend/cuda/calibrate_graphs.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/cuda/sources.h"
#include "core/backend/cuda/stream_timer.h"
#include "core/kernel/state.h"

namespace thallo::cuda {
namespace {

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
  const auto module = compile_and_load(own_source("calibrate"), device);
  if (!module) return fail(module.error());
  const auto bytes = static_cast<std::size_t>(
      std::clamp<std::int64_t>(device.info().memory_bytes / 16, 64 * MiB, 1024 * MiB));
  const auto in = DeviceBuffer::allocate(bytes, "the array that is read");
  if (!in) return fail(in.error());
  const auto out = DeviceBuffer::allocate(bytes, "the array that is written");
  if (!out) return fail(out.error());
  clear(stream.get(), in->pointer(), in->bytes());
  clear(stream.get(), out->pointer(), out->bytes());

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
  KernelRates(stream, *module, device.info().num_units, *in, *out).measure(spec);
  const GraphProbe probe{.empty = module->function("empty"),
                         .set = module->function("set"),
                         .turn = module->function("turn"),
                         .memory = out->pointer()};
  if (auto done = measure_graphs(device, stream, probe, spec); !done) return fail(done.error());
  return as_measured(std::move(spec));
}

}  // namespace thallo::cuda
