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
  // Starts `command` with pipes to its input and from its output; its error output is ours.
  static Expected<WorkerProcess> start(const std::vector<std::string>& command);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills it if it still runs

  // To wait for with poll(): readable when there is a line, or when the process has ended.
  int output() const { return output_; }
  // False when the process does not take it, because it has ended or does not read for 5 seconds.
  bool send(const std::string& line);
  // The next complete line that has arrived, without waiting.
  std::optional<std::string> receive();
  // Has its output ended, and all that it has sent been received?
  bool has_ended() const { return is_closed_ && received_.find('\n') == std::string::npos; }
  // Kills it if it still runs; how it ended, as the rest of a sentence: "was ended by signal 11
  // (Segmentation fault)", "ended with exit code 3".
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
