#pragma once

// Measures the overhead of graph nodes, as the linear loop uses them (step_graph.h).

#include <cuda.h>

#include <cstdint>

#include "core/backend/cuda/device.h"
#include "core/cost/device/device_spec.h"

namespace thallo::cuda {

inline constexpr unsigned int ProbeBlockSize = 256;

// What every kernel of kernels/calibrate.cu takes; addresses are device addresses.
struct ProbeArgs {
  std::uint64_t in = 0, out = 0;
  std::int64_t count = 0;
  // The number of records of a table, of addresses of an addition, or of passes of a copy. It is
  // also the word in which a graph passes the handle of its condition (launch.h).
  std::int64_t range = 0;
};
// The kernels of kernels/calibrate.cu that the graphs consist of, and memory that `set` and `turn` may
// write to.
struct GraphProbe {
  CUfunction empty = nullptr;
  CUfunction set = nullptr;
  CUfunction turn = nullptr;
  CUdeviceptr memory = 0;
};

// Sets node, programmatic_node, loop_turn, clear and library. spec.launch must be set: if the
// driver has no conditional nodes, the host runs the loop, so a node costs a launch there. The cost
// of a library operation is 0 if the library cannot be opened or captured; the log says why.
Expected<void> measure_graphs(const Device& device, const Stream& stream, const GraphProbe& probe,
                              DeviceSpec& spec);

}  // namespace thallo::cuda
