// Makes the request that opens a problem for the kernels of its schedules.
#pragma once

#include "core/explore/worker/requests.h"

namespace thallo::gui {

class ScheduleAnalyst;

// Opens the problem for its device, which need not be present.
OpenRequest openRequest(const ScheduleAnalyst& analysis);

}  // namespace thallo::gui
