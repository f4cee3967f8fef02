#pragma once

// What the interpreter reaches. It visits every instruction of a kernel at every point, so its
// rates are those of visits: the operations, reads or additions of a generated kernel, divided by
// the kernel's time. Where a value lies does not matter beside that: gathers are as fast as reads,
// and copies in the cache as fast as others. It runs on one thread and in double, so float is as
// fast as double and no addition is atomic.

#include "core/backend/backend.h"

namespace thallo {

Expected<DeviceSpec> calibrate_interpreter(Backend& interpreter);

}  // namespace thallo
