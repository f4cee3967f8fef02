#include "core/cli/calibrate.h"

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/backend/cuda/calibrate.h"
#include "core/base/error.h"
#include "core/energy/builder.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"

namespace thallo::cli {
namespace {

// The vector that is copied grows, from SmallestStream values on, until one copy takes
// LongCopySeconds, since a small vector stays in a cache.
constexpr std::int64_t SmallestStream = 1 << 18;
constexpr std::int64_t LargestStream = 1 << 24;
constexpr double LongCopySeconds = 10e-3;
constexpr double MeasuringSeconds = 0.2;

template <class T>
T on_device(Expected<T> value) {
  if (!value) throw DeviceError("calibrate", value.error().message());
  return *std::move(value);
}
void on_device(const Expected<void>& done) {
  if (!done) throw DeviceError("calibrate", done.error().message());
}

// 1/2 sum (x(i) - a(i))^2: its program has a phase that is one plain copy (Accept: X = trial).
Energy probe_energy() {
  EnergyBuilder builder("calibrate");
  const DimId n = builder.dim("N");
  const FieldHandle x = builder.unknown("x", {n});
  const FieldHandle a = builder.array("a", {n});
  const IndexExpr i = builder.domain(n);
  builder.residual("fit", {x(i)[0] - a(i)[0]});
  return on_device(std::move(builder).build());
}

void bind(Executable& executable, const Energy& energy, std::int64_t extent) {
  const std::vector<float> zeros(static_cast<std::size_t>(extent));
  Binding binding(energy);
  on_device(binding.set_extent("N", extent));
  on_device(binding.set_field("x", zeros));
  on_device(binding.set_field("a", zeros));
  on_device(executable.bind(binding));
}

// Seconds of one copy, mean of as many as fit into the measuring time.
double seconds_per_copy(Executable& executable) {
  using Clock = std::chrono::steady_clock;
  executable.run(Phase::Accept);
  executable.synchronize();
  const auto begin = Clock::now();
  std::int64_t num_runs = 0;
  double seconds = 0;
  for (std::int64_t batch = 1; seconds < MeasuringSeconds; batch *= 2) {
    for (std::int64_t i = 0; i < batch; ++i) executable.run(Phase::Accept);
    executable.synchronize();
    num_runs += batch;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return seconds / static_cast<double>(num_runs);
}

std::vector<Measurement> calibrate_host(Backend& backend) {
  const Energy energy = probe_energy();
  const auto executable =
      on_device(backend.compile(generate(make_program(energy, default_plan(energy), {})), {}));
  bind(*executable, energy, 1);
  const double shortest = seconds_per_copy(*executable);

  std::int64_t extent = SmallestStream;
  double seconds = 0;
  for (;; extent *= 4) {
    bind(*executable, energy, extent);
    seconds = seconds_per_copy(*executable);
    if (extent >= LargestStream || seconds >= LongCopySeconds) break;
  }
  const double bytes = 2.0 * sizeof(float) * static_cast<double>(extent);
  return {{"copy", 1e-9 * bytes / seconds, "GB/s", fmt::format("read + write, {} values", extent)},
          {"launch", 1e6 * shortest, "us", "a kernel on one value"}};
}

}  // namespace

std::vector<Measurement> calibrate(Backend& backend) {
  if (backend.name() != "cuda") return calibrate_host(backend);
  std::vector<Measurement> measurements;
  for (cuda::Measurement& m : on_device(cuda::calibrate())) {
    measurements.push_back({std::move(m.name), m.value, std::move(m.unit), std::move(m.note)});
  }
  return measurements;
}

}  // namespace thallo::cli
