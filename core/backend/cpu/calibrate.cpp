#include "core/backend/cpu/calibrate.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend/calibration.h"
#include "core/backend/cpu/thread_pool.h"
#include "core/backend/host_costs.h"
#include "core/backend/host_machine.h"

namespace thallo {
namespace {

constexpr std::int64_t MiB = 1 << 20;
constexpr std::int64_t FloatBytes = sizeof(float);
constexpr std::int64_t RecordBytes = 32;
constexpr std::int64_t Additions = 1 << 20;
constexpr std::int64_t MostAddresses = 1'000'000;

// The only file of kernels/, which the build embeds.
constexpr std::pair<std::string_view, std::string_view> OwnTexts[] = {
#include "core/backend/cpu/own_texts.inc"
};

struct ProbeArgs {
  float* in = nullptr;
  float* out = nullptr;
  std::int64_t range = 0;
  std::int64_t shift = 0;
};
using Probe = void (*)(const ProbeArgs*, std::int64_t begin, std::int64_t end);

class CpuCalibration {
 public:
  CpuCalibration(CompiledSource compiled, int num_threads, HostAllocation in, HostAllocation out,
                 std::vector<HostAllocation> copies)
      : compiled_(std::move(compiled)),
        num_threads_(num_threads),
        pool_(num_threads),
        in_(std::move(in)),
        out_(std::move(out)),
        copies_(std::move(copies)) {}

  void measure(DeviceSpec& spec) {
    measure_memory(spec);
    measure_additions(spec);
    measure_arithmetic(spec);
  }

 private:
  float* in() const { return reinterpret_cast<float*>(in_.data()); }
  float* out() const { return reinterpret_cast<float*>(out_.data()); }
  Probe find(const char* name) const { return reinterpret_cast<Probe>(compiled_.symbol(name)); }

  // Runs `count` items, shared by all threads.
  void run(Probe probe, std::int64_t count, const ProbeArgs& args) {
    pool_.run(num_threads_, [&](int part) {
      probe(&args, count * part / num_threads_, count * (part + 1) / num_threads_);
    });
  }
  double rate(const char* name, std::int64_t count, std::int64_t range = 0) {
    const Probe probe = find(name);
    ProbeArgs args{in(), out(), range, 0};
    return static_cast<double>(count) / seconds_of([&] {
             run(probe, count, args);
             args.shift += count;  // moves to a part of the table that is not cached yet
           });
  }

  void measure_memory(DeviceSpec& spec) {
    const auto bytes = static_cast<std::int64_t>(in_.bytes());
    spec.copy = 2 * FloatBytes * rate("copy", bytes / FloatBytes);
    spec.read = 32 * FloatBytes * rate("read", bytes / FloatBytes / 32);
    measure_cache(spec);
    std::vector<RateCurve::Point> gathers;
    for (std::int64_t table = MiB / 4; table <= bytes; table *= 8) {
      gathers.push_back(
          {static_cast<double>(table), RecordBytes * rate("gather", 1 << 17, table / RecordBytes)});
    }
    spec.gather = RateCurve(std::move(gathers));
    // Each thread waits for its own loads only.
    spec.load_latency = num_threads_ / rate("chase", 1 << 16, bytes / FloatBytes);
  }

  // Counts the last level as the cache if copying arrays that fill half of it is clearly faster
  // than copying arrays in memory. On a virtual machine, other guests often fill the last level;
  // then only the levels private to each core count.
  void measure_cache(DeviceSpec& spec) {
    constexpr double clearly = 1.5;
    const auto copy_within = [&](double cache) {
      const auto bytes = std::clamp(static_cast<std::int64_t>(cache) / 4, MiB / 8,
                                    static_cast<std::int64_t>(in_.bytes()));
      return 2 * FloatBytes * rate("copy", bytes / FloatBytes);
    };
    spec.cached_copy = copy_within(spec.cache);
    const auto last_level = static_cast<double>(host_machine().last_cache_bytes);
    if (last_level <= spec.cache) return;
    const double last_level_copy = copy_within(last_level);
    if (last_level_copy < clearly * spec.copy) return;
    spec.cache = last_level;
    spec.cached_copy = last_level_copy;
  }

  // Measures additions as scatters do them (launch.h): each thread adds to its own copy without
  // atomics. That the copies are added up afterwards depends on their sizes alone.
  void measure_additions(DeviceSpec& spec) {
    const auto rate_of = [&](std::int64_t addresses) {
      return Additions / seconds_of([&] {
               pool_.run(num_threads_, [&](int part) {
                 const ProbeArgs args{nullptr, copy(part), addresses, 0};
                 find("add")(&args, Additions * part / num_threads_,
                             Additions * (part + 1) / num_threads_);
               });
             });
    };
    std::vector<RateCurve::Point> points;
    for (const std::int64_t addresses :
         {std::int64_t{1}, std::int64_t{1'000}, std::int64_t{100'000}, MostAddresses})
      points.push_back({static_cast<double>(addresses), rate_of(addresses)});
    spec.atomic = RateCurve(std::move(points));
    spec.private_add = spec.atomic.at(1'000);
  }
  float* copy(int part) const {
    return reinterpret_cast<float*>(copies_[static_cast<std::size_t>(part)].data());
  }

  void measure_arithmetic(DeviceSpec& spec) {
    const std::int64_t items = 20'000 * num_threads_;
    spec.float_flops = 2 * 384 / sizeof(float) * rate("flops_float", items);
    spec.double_flops = 2 * 384 / sizeof(double) * rate("flops_double", items);
    spec.float_transcendentals = 8 * rate("sines_float", items);
    spec.double_transcendentals = 8 * rate("sines_double", items);
  }

  CompiledSource compiled_;
  int num_threads_;
  ThreadPool pool_;
  HostAllocation in_, out_;
  std::vector<HostAllocation> copies_;  // one for each thread, of MostAddresses floats
};

}  // namespace

Expected<DeviceSpec> calibrate_cpu(Backend& cpu, const HostCompiler& compiler) {
  const HostMachine& machine = host_machine();
  const CSource source{.name = "calibrate", .text = std::string(OwnTexts[0].second)};
  THALLO_TRY(auto compiled, compile_all(compiler, {&source, 1}));
  // Both together are four times the last cache, but not so large that filling them takes long.
  const auto bytes = static_cast<std::size_t>(std::clamp(
      2 * machine.last_cache_bytes, 64 * MiB, std::min(128 * MiB, machine.memory_bytes / 8)));
  THALLO_TRY(auto in, HostAllocation::make(bytes, "the array that is read"));
  THALLO_TRY(auto out, HostAllocation::make(bytes, "the array that is written"));
  std::vector<HostAllocation> copies;
  for (int i = 0; i < machine.num_threads; ++i) {
    THALLO_TRY(auto copy, HostAllocation::make(MostAddresses * sizeof(float), "scatter copies"));
    copies.push_back(std::move(copy));
  }
  DeviceSpec spec = host_spec("cpu", machine.num_threads);
  spec.signature = cpu.signature();
  CpuCalibration(compiled.front(), machine.num_threads, std::move(in), std::move(out),
                 std::move(copies))
      .measure(spec);
  THALLO_CHECK(measure_host_costs(cpu, HostPrecision::WorkingFloat, spec));
  return as_measured(std::move(spec));
}

}  // namespace thallo
