// Several processes of this program that were started together, on one machine or on many, as by
// mpirun, and the connections between them. What starts processes so is a plugin's, so that core
// depends on no MPI. Rank 0 deals out work; it opens connections, and the other ranks wait for
// them, as servers do:
//
//   rank 0                                  rank 2
//   const auto socket = group.connect(2);   while (const auto socket = group.accept())
//   write(*socket, request ...);              serve(*socket);
#pragma once

#include <memory>
#include <optional>

#include "core/base/diagnostic.h"
#include "core/base/registry.h"

namespace thallo {

class ProcessGroup {
 public:
  // Leaves the group. When rank 0 leaves, accept() of all others returns nothing.
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;  // of this process, below size()
  virtual int size() const = 0;
  // Called by rank 0. Returns a stream socket; what is written to it is read from the socket that
  // accept() returns at the other rank, and the reverse. If either is closed, the other reads its
  // end. The caller closes it, before the next connection to the same rank.
  virtual Expected<int> connect(int rank) = 0;
  // Called by the other ranks. Waits for the next connection. Absent if rank 0 has left.
  virtual std::optional<int> accept() = 0;
};

// A program that starts such groups.
class Launcher {
 public:
  virtual ~Launcher() = default;
  // Returns the group that this process was started in. Called once. Fails if the library that
  // connects the processes is missing.
  virtual Expected<std::unique_ptr<ProcessGroup>> join() const = 0;
};

using LauncherRegistry = Registry<Launcher>;

}  // namespace thallo
