#include "core/backend/cuda/calibrate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "core/backend/cuda/calibrate_text.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/memory.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int ProbeBlockSize = 256;
constexpr int Repetitions = 5;
constexpr std::int64_t MiB = 1 << 20;

struct ProbeArgs {
  CUdeviceptr in = 0, out = 0;
  std::int64_t count = 0, range = 0;
};

class Calibration {
 public:
  Calibration(const Device& device, Module module, DeviceBuffer in, DeviceBuffer out)
      : module_(std::move(module)),
        num_blocks_(static_cast<unsigned int>(device.info().num_units) * 8),
        in_(std::move(in)),
        out_(std::move(out)) {
    THALLO_CUDA(cuEventCreate(&start_, CU_EVENT_DEFAULT));
    THALLO_CUDA(cuEventCreate(&stop_, CU_EVENT_DEFAULT));
    clear(stream_.get(), in_.pointer(), in_.bytes());
    clear(stream_.get(), out_.pointer(), out_.bytes());
  }
  ~Calibration() {
    driver().cuEventDestroy_v2(start_);
    driver().cuEventDestroy_v2(stop_);
  }
  Calibration(const Calibration&) = delete;
  Calibration& operator=(const Calibration&) = delete;

  std::vector<Measurement> run() {
    measure_memory();
    measure_gathers();
    measure_atomics();
    measure_launches();
    measure_arithmetic();
    return std::move(results_);
  }

 private:
  // Seconds of one launch: the best of `Repetitions`, after one launch to warm up.
  double time(const std::string& kernel, std::int64_t count, std::int64_t range = 0) {
    const CUfunction function = module_.function(kernel);
    const ProbeArgs args{in_.pointer(), out_.pointer(), count, range};
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= Repetitions; ++i) {
      THALLO_CUDA(cuEventRecord(start_, stream_.get()));
      launch(stream_.get(), function, {num_blocks_, ProbeBlockSize}, &args, kernel);
      THALLO_CUDA(cuEventRecord(stop_, stream_.get()));
      THALLO_CUDA(cuEventSynchronize(stop_));
      float milliseconds = 0;
      THALLO_CUDA(cuEventElapsedTime(&milliseconds, start_, stop_));
      if (i > 0) best = std::min(best, 1e-3 * static_cast<double>(milliseconds));
    }
    return best;
  }

  void add(std::string name, double value, std::string unit, std::string note) {
    results_.push_back({std::move(name), value, std::move(unit), std::move(note)});
  }

  void measure_memory() {
    const auto bytes = static_cast<std::int64_t>(in_.bytes());
    const std::int64_t count = bytes / 16;
    const auto gigabytes = static_cast<double>(bytes) * 1e-9;
    add("copy", 2 * gigabytes / time("copy", count), "GB/s",
        fmt::format("read + write, {} MiB each", bytes / MiB));
    add("read", gigabytes / time("read", count), "GB/s", fmt::format("{} MiB", bytes / MiB));
  }

  void measure_gathers() {
    constexpr std::int64_t num_reads = 5'000'000;
    for (const std::int64_t table : {3, 32, 192}) {
      if (table * MiB > static_cast<std::int64_t>(in_.bytes())) continue;
      const double seconds = time("gather", num_reads, table * MiB / 32);
      add("gather", 32e-9 * static_cast<double>(num_reads) / seconds, "GB/s",
          fmt::format("random 32-byte records of a {} MiB table", table));
    }
  }

  void measure_atomics() {
    constexpr std::int64_t num_adds = 4'000'000;
    for (const std::int64_t addresses : {1, 1'000, 100'000, 10'000'000}) {
      const double seconds = time("atomic", num_adds, addresses);
      add("atomic", 1e-9 * static_cast<double>(num_adds) / seconds, "G/s",
          fmt::format("float atomicAdd over {} addresses", addresses));
    }
  }

  void measure_launches() {
    const CUfunction function = module_.function("empty");
    const ProbeArgs args{};
    const auto microseconds = [&](int count, bool wait) {
      stream_.synchronize();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < count; ++i) {
        launch(stream_.get(), function, {1, ProbeBlockSize}, &args, "empty");
        if (wait) stream_.synchronize();
      }
      stream_.synchronize();
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      return 1e6 * elapsed.count() / count;
    };
    microseconds(100, false);
    add("launch", microseconds(2000, false), "us", "one after the other");
    add("launch and wait", microseconds(500, true), "us", "the host waits for each");
  }

  void measure_arithmetic() {
    constexpr std::int64_t rounds = 20'000;
    const double operations =
        2.0 * 8 * static_cast<double>(rounds) * num_blocks_ * ProbeBlockSize;  // an fma is two
    for (const std::string type : {"float", "double"}) {
      add(type, 1e-9 * operations / time("flops_" + type, rounds), "GFLOP/s",
          "fused multiply-adds");
    }
  }

  Stream stream_;
  Module module_;
  unsigned int num_blocks_;
  DeviceBuffer in_, out_;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
  std::vector<Measurement> results_;
};

}  // namespace

Expected<std::vector<Measurement>> calibrate() {
  if (const auto library = find_driver(); !library) return fail(library.error());
  const auto opened = Device::open(0);
  if (!opened) return fail(opened.error());
  const Device& device = **opened;
  const Source source = calibration_source();
  auto images = compile_all({&source, 1}, device.info().architecture);
  if (!images) return fail(images.error());
  auto module = load_module(source, device.info().architecture, images->front());
  if (!module) return fail(module.error());
  const auto bytes = static_cast<std::size_t>(
      std::clamp<std::int64_t>(device.info().memory_bytes / 16, 64 * MiB, 2048 * MiB));
  auto in = DeviceBuffer::allocate(bytes, "the array that is read");
  if (!in) return fail(in.error());
  auto out = DeviceBuffer::allocate(bytes, "the array that is written");
  if (!out) return fail(out.error());
  return Calibration(device, *std::move(module), std::move(*in), std::move(*out)).run();
}

}  // namespace thallo::cuda
