#include "core/backend/host_costs.h"

#include "core/backend/calibration.h"
#include "core/backend/library_ops.h"
#include "core/backend/probe_programs.h"

namespace thallo {
namespace {

constexpr std::size_t SmallBufferBytes = 4096;

}  // namespace

Expected<void> measure_host_costs(Backend& backend, HostPrecision precision, DeviceSpec& spec) {
  THALLO_TRY(const auto probe,
             ProgramProbe::make(backend, ProbeEnergy::Difference, 1, Precision::Double));
  spec.launch = probe->seconds_of(Phase::Accept);
  spec.node = spec.launch;
  spec.programmatic_node = spec.launch;

  double stop = 0;
  Executable& executable = probe->executable();
  spec.loop_turn = seconds_of([&] { stop += at(executable.read_state(), StateSlot::Stop); });

  spec.round_trip = spec.launch + spec.loop_turn;

  THALLO_TRY(auto buffer, HostAllocation::make(SmallBufferBytes, "the buffer that is cleared"));
  spec.clear = seconds_of([&] { buffer.clear(); });

  const LibraryProbe library = library_probe();
  HostMemory memory(library.program, precision, DefaultMemoryLimit);
  THALLO_CHECK(memory.bind(library.binding));
  spec.library = seconds_of([&] { multiply(library.program, memory, library.product); });
  return {};
}

}  // namespace thallo
