#include "core/cli/ranks.h"

#include <cstdlib>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/explore/worker/remote_worker.h"

namespace thallo::cli {
namespace {

// mpirun of Open MPI tells each process in its environment which one it is, and of how many.
int number_in_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : parse_number<int>(text).value_or(otherwise);
}

Expected<std::unique_ptr<ProcessGroup>> join(Session& session, int size) {
  const Launcher* launcher = session.launchers().find("mpi");
  if (launcher == nullptr) {
    return fail(
        "mpirun has started {} processes, but the plugin 'mpi' is not there, which connects them: "
        "build Thallo where Open MPI is installed (libopenmpi-dev on Debian), or divide the work "
        "with --shard",
        size);
  }
  auto group = launcher->join();
  if (group && (*group)->size() != size) {
    return fail(
        "mpirun has started {} processes, but MPI connects {}: is this mpirun that of the Open MPI "
        "that Thallo was built with?",
        size, (*group)->size());
  }
  return group;
}

}  // namespace

Ranks::Ranks(Session& session, bool measures) {
  const int size = number_in_environment("OMPI_COMM_WORLD_SIZE", 1);
  const int rank = number_in_environment("OMPI_COMM_WORLD_RANK", 0);
  if (size < 2) return;
  if (!measures) {
    if (rank > 0) end_ = ExitCode::Ok;
    return;
  }
  auto group = join(session, size);
  if (!group) {
    if (rank == 0) throw UserError(group.error());
    end_ = ExitCode::User;
    return;
  }
  group_ = *std::move(group);
  if (group_->rank() == 0) return;
  serve_workers(*group_, {"/proc/self/exe", "worker"});
  group_.reset();
  end_ = ExitCode::Ok;
}

std::vector<WorkerStart> Ranks::worker_starts() const {
  std::vector<WorkerStart> starts;
  for (int rank = 1; group_ && rank < group_->size(); ++rank)
    starts.push_back(start_at(*group_, rank));
  return starts;
}

}  // namespace thallo::cli
