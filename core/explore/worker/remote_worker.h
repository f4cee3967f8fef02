#pragma once

// Workers at other ranks of a process group (core/plugin/process_group.h). Each is a child process
// of its rank, which relays its lines, so that a crash of a kernel or a compiler ends no rank.

#include <string>
#include <vector>

#include "core/explore/worker/worker_client.h"
#include "core/plugin/process_group.h"

namespace thallo {

// Returns what starts workers at this rank. Called by rank 0; the group must outlive the result.
WorkerStart start_at(ProcessGroup& group, int rank);

// Called by the other ranks: starts workers by `command`, one after the other, as rank 0 asks, and
// relays what they read and write. Returns when rank 0 leaves the group.
void serve_workers(ProcessGroup& group, const std::vector<std::string>& command);

}  // namespace thallo
