// Makes the request that opens a problem for the kernels of its schedules.
#pragma once

#include "core/explore/worker/requests.h"

namespace thallo::gui {

class OpenProblem;

// Opens the problem for its device, which need not be present.
OpenRequest openRequest(const OpenProblem& problem);

}  // namespace thallo::gui
