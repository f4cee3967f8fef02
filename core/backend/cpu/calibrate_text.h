#pragma once

// The text of the functions that calibrate.h times.

#include "core/backend/cpu/compile.h"

namespace thallo {

CSource cpu_calibration_source();

}  // namespace thallo
