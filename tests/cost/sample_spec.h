// A device spec in which every number differs.
#pragma once

#include "core/cost/device/device_spec.h"

namespace thallo::test {

DeviceSpec sample_spec();

}  // namespace thallo::test
