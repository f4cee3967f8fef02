#include "core/explore/worker/remote_worker.h"

#include <poll.h>
#include <unistd.h>

#include <optional>

namespace thallo {
namespace {

// Relays between a worker and its client until one of them has ended. If it is the worker, the
// client is told how.
void relay(WorkerProcess& worker, LineChannel& client) {
  while (true) {
    std::vector<pollfd> files = {{client.output(), POLLIN, 0}};
    for (const int output : worker.outputs()) files.push_back({output, POLLIN, 0});
    poll(files.data(), files.size(), -1);
    while (const auto line = client.receive()) worker.send(*line);
    if (client.is_closed()) return;
    while (const auto line = worker.receive()) client.send(*line);
    if (const auto how = worker.find_end()) {
      client.send(std::string(WorkerEndLine) + *how);
      return;
    }
  }
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

}  // namespace

WorkerStart start_at(ProcessGroup& group, int rank) {
  return [&group, rank]() -> Expected<WorkerProcess> {
    THALLO_TRY(const auto socket, group.connect(rank));
    return WorkerProcess::connected(socket);
  };
}

void serve_workers(ProcessGroup& group, const std::vector<std::string>& command) {
  while (const std::optional<int> socket = group.accept()) {
    LineChannel client(*socket);
    auto worker = WorkerProcess::start(command);
    if (worker)
      relay(*worker, client);
    else
      client.send(std::string(WorkerEndLine) + "could not be started on " + host_name() + ": " +
                  worker.error().message());
  }
}

}  // namespace thallo
