#pragma once

// Carries out the request "run" of a worker (worker.h): solves a problem as `thallo solve` does.

#include <stop_token>

#include "core/backend/backend.h"
#include "core/explore/worker/messages.h"
#include "core/explore/worker/requests.h"
#include "core/plugin/session.h"

namespace thallo {

// Returns the answer. Throws Refusal if the run cannot be made or its report cannot be written.
RunAnswer carry_out_run(const RunOrder& order, Session& session, Backend& backend,
                        MessageWriter& messages, const std::stop_token& stop);

}  // namespace thallo
