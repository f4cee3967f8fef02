// What `thallo explore` does when mpirun has started several of it: rank 0 explores, and the others
// run the workers that measure (core/explore/worker/remote_worker.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/cli/exit_code.h"
#include "core/cli/session.h"
#include "core/explore/worker/worker_client.h"
#include "core/plugin/process_group.h"

namespace thallo::cli {

class Ranks {
 public:
  // `measures` is true if this command uses workers. Rank 0, which alone prints anything, throws
  // UserError if the ranks cannot be connected.
  Ranks(Session& session, bool measures);

  // What a rank other than 0 ends with; its work is done. Absent if this process is to explore.
  const std::optional<ExitCode>& end() const { return end_; }
  // Returns what starts the workers that measure, at each other rank; empty if this process was
  // started alone. The workers end with this object.
  std::vector<WorkerStart> worker_starts() const;

 private:
  std::unique_ptr<ProcessGroup> group_;
  std::optional<ExitCode> end_;
};

}  // namespace thallo::cli
