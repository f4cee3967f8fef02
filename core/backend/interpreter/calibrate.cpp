#include "core/backend/interpreter/calibrate.h"

#include <memory>

#include "core/backend/calibration.h"
#include "core/backend/host_costs.h"
#include "core/backend/host_machine.h"
#include "core/backend/probe_programs.h"

namespace thallo {
namespace {

constexpr std::int64_t NumPoints = 1 << 12;

}  // namespace

Expected<DeviceSpec> calibrate_interpreter(Backend& interpreter) {
  const auto probe = [&](ProbeEnergy energy) {
    return ProgramProbe::make(interpreter, energy, NumPoints, Precision::Double);
  };
  const auto difference = probe(ProbeEnergy::Difference);
  if (!difference) return fail(difference.error());
  const auto polynomial = probe(ProbeEnergy::Polynomial);
  if (!polynomial) return fail(polynomial.error());
  const auto sines = probe(ProbeEnergy::Sines);
  if (!sines) return fail(sines.error());

  DeviceSpec spec = host_spec("interpreter", 1);
  spec.signature = interpreter.signature();
  const auto bytes = [](const KernelFeatures& f) { return f.must_move(); };
  spec.copy = (*difference)->rate_of(Phase::Accept, bytes);
  spec.cached_copy = spec.copy;
  spec.read = (*difference)->rate_of(Phase::Cost, bytes);
  spec.gather = RateCurve({{32, spec.read}});
  spec.load_latency = sizeof(double) / spec.read;  // loads do not overlap
  spec.private_add =
      (*difference)->rate_of(Phase::Linearize, [](const KernelFeatures& f) { return f.atomics; });
  spec.atomic = RateCurve({{1, spec.private_add}});
  spec.double_flops =
      (*polynomial)->rate_of(Phase::Cost, [](const KernelFeatures& f) { return f.flops.total(); });
  spec.float_flops = spec.double_flops;
  spec.double_transcendentals = (*sines)->rate_of(
      Phase::Cost, [](const KernelFeatures& f) { return f.flops.transcendentals; });
  spec.float_transcendentals = spec.double_transcendentals;
  if (auto done = measure_host_costs(interpreter, HostPrecision::AllDouble, spec); !done)
    return fail(done.error());
  return as_measured(std::move(spec));
}

}  // namespace thallo
