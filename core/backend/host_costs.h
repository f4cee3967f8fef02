#pragma once

#include "core/backend/backend.h"
#include "core/backend/host_memory.h"

namespace thallo {

// Measures what the steps of a program cost on a host backend beside their work, and sets
//   launch     a generated kernel on one value
//   node, programmatic_node  the same: on a host, kernels of the loop are launched like others
//   loop_turn  the look at the state that ends a turn of the linear loop
//   clear      a buffer of 4 KiB
//   library    a product with a tiny matrix, in memory of `precision`
Expected<void> measure_host_costs(Backend& backend, HostPrecision precision, DeviceSpec& spec);

}  // namespace thallo
