#pragma once

// A worker (worker.h) as a child process.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

class WorkerProcess {
 public:
  // Starts `command` with pipes for its input and output. Its error output goes to ours.
  static Expected<WorkerProcess> start(const std::vector<std::string>& command);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills the process if it still runs

  // A file descriptor for poll(): readable when a line has arrived or the process has ended.
  int output() const { return output_; }
  // Returns false if the process does not take the line: it has ended, or has not read for 5
  // seconds.
  bool send(const std::string& line);
  // Returns the next complete line that has arrived, without waiting.
  std::optional<std::string> receive();
  // True if its output has ended and everything that it sent was received.
  bool has_ended() const { return is_closed_ && received_.find('\n') == std::string::npos; }
  // Kills the process if it still runs. Returns how it ended, as the rest of a sentence: "was ended
  // by signal 11 (Segmentation fault)", "ended with exit code 3".
  std::string end();

 private:
  WorkerProcess() = default;
  void read_all();

  int pid_ = -1;
  int input_ = -1, output_ = -1;
  bool is_closed_ = false;
  std::string received_;
};

}  // namespace thallo
