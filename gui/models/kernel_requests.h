// Makes the request that opens a problem for the kernels of its schedules.
#pragma once

#include "core/explore/work/requests.h"

namespace thallo::gui {

class Analysis;

// Opens the problem for its device, which need not be present.
OpenRequest openRequest(const Analysis& analysis);

}  // namespace thallo::gui
