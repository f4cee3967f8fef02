#pragma once

// The request "run" to a worker (worker.h): a run of a problem, as `thallo solve` makes it.

#include <stop_token>
#include <string>

#include "core/backend/backend.h"
#include "core/explore/work/messages.h"
#include "core/explore/work/run_order.h"
#include "core/plugin/session.h"

namespace thallo {

// Returns the answer. Throws Refusal when there is no run, or its report cannot be written.
std::string carry_out_run(const RunOrder& order, Session& session, Backend& backend,
                          MessageWriter& messages, const std::stop_token& stop);

}  // namespace thallo
