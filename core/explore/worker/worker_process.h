#pragma once

// A worker (worker.h) as a child process.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct WorkerOptions {
  bool logs_errors = false;  // true: its error output goes to our log; false: to our error output
  // True if whoever ends the process waits until it has ended. A process with much memory takes
  // long, which an event loop must not wait for.
  bool waits_for_end = true;
};

class WorkerProcess {
 public:
  // Starts `command` with pipes for its input and output.
  static Expected<WorkerProcess> start(const std::vector<std::string>& command,
                                       const WorkerOptions& options = {});
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills the process if it still runs

  int id() const { return pid_; }
  // File descriptors for poll(): one is readable when receive() has something to do.
  std::vector<int> outputs() const;
  // Returns false if the process does not take the line: it has ended, or has not read for 5
  // seconds.
  bool send(const std::string& line);
  // Returns the next complete line that has arrived, without waiting.
  std::optional<std::string> receive();
  bool is_closed() const { return is_closed_; }  // true if its output has ended
  // Returns how the process ended, as the rest of a sentence: "was ended by signal 11 (Segmentation
  // fault)", "ended with exit code 3". Returns nothing while it runs, or while lines are left.
  std::optional<std::string> find_end();

 private:
  WorkerProcess() = default;
  void log_errors();

  int pid_ = 0;  // 0: it has ended
  int input_ = -1, output_ = -1, errors_ = -1;
  bool waits_for_end_ = true;
  bool is_closed_ = false;
  std::string received_;
};

}  // namespace thallo
