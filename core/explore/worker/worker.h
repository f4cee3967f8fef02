#pragma once

// A worker process compiles, loads, times, solves and verifies programs of one problem for an
// exploration. It also runs problems and generates kernels for the app. Because this happens in a
// separate process, a compiler or driver that crashes takes down the worker only. It reads requests
// (requests.h) and writes messages (messages.h), one JSON object per line:
//
//   {"id": 1, "do": "open", "target": ..., "device": true}
//   {"id": 2, "do": "prepare", "schedule": "r.fit:strategy(\"[J]p\")"}
//   {"id": 2, "do": "cancel"}
//
// Messages with the id of a request come between it and its answer: what the worker is doing, so
// that a crash can be attributed to it, and finished parts of the answer. Requests are carried out
// one after the other. A line that is not a request is answered by an error.
//
// A request can be cancelled, even while it compiles, and the end of the input cancels all
// requests. A cancelled request is answered soon: by an error or, if it is a run that solved
// something, by the partial result. "open", and a step that is being timed, are finished first.

#include <iosfwd>
#include <optional>

#include "core/explore/worker/requests.h"

namespace thallo {

// Serves requests until the input ends. Reads the input on a separate thread. `first`, if there is
// one, is carried out before, as a request with the id 0.
void run_worker(std::istream& in, std::ostream& out,
                const std::optional<WorkerRequest>& first = std::nullopt);

}  // namespace thallo
