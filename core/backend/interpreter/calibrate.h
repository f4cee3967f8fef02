#pragma once

// Measures the rates of the interpreter. It visits every instruction of a kernel at every point, so
// the rates count visits: the operations, reads or additions of a generated kernel, divided by the
// kernel's time. Compared with a visit, memory access costs nothing: gathers are as fast as reads,
// and copies within the cache as fast as others. The interpreter runs on one thread and in double,
// so float is as fast as double and no addition is atomic.

#include "core/backend/backend.h"

namespace thallo {

Expected<DeviceSpec> calibrate_interpreter(Backend& interpreter);

}  // namespace thallo
