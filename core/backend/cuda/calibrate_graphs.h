#pragma once

// Measures the overhead of graph nodes, as the linear loop uses them (step_graph.h).

#include <cuda.h>

#include "core/backend/cuda/device.h"
#include "core/cost/device/device_spec.h"

namespace thallo::cuda {

// The kernels of calibrate_text.h that the graphs consist of, and memory that `set` and `turn` may
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
