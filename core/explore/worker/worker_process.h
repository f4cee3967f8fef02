#pragma once

// A worker (worker.h) as a child process, or as one at the other end of a connection.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// Lines of text that are sent and received through files: two pipes, or a socket.
class LineChannel {
 public:
  // Takes both files over; they become non-blocking.
  LineChannel(int input, int output);
  // Takes a socket over, for both directions.
  explicit LineChannel(int socket);
  LineChannel(LineChannel&& other) noexcept;
  LineChannel& operator=(LineChannel&&) = delete;
  LineChannel(const LineChannel&) = delete;
  LineChannel& operator=(const LineChannel&) = delete;
  ~LineChannel();

  int output() const { return output_; }  // for poll(): readable when receive() has something to do
  // Returns false if the other side does not take the line: it has ended, or has not read for 5
  // seconds.
  bool send(const std::string& line);
  // Returns the next complete line that has arrived, without waiting.
  std::optional<std::string> receive();
  bool is_closed() const { return is_closed_; }  // true if the other side sends no more
  // True if it sends no more and all of its lines were received.
  bool is_at_end() const { return is_closed_ && received_.find('\n') == std::string::npos; }

 private:
  int input_, output_;  // equal for a socket
  bool is_closed_ = false;
  std::string received_;
};

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
  // A worker that another process has started and relays (remote_worker.h). Takes the socket over;
  // closing it ends the worker.
  static WorkerProcess connected(int socket);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills the process if it still runs

  int id() const { return pid_; }  // 0 if it is no child of this process
  // File descriptors for poll(): one is readable when receive() has something to do.
  std::vector<int> outputs() const;
  // Returns false if the process does not take the line: it has ended, or has not read for 5
  // seconds.
  bool send(const std::string& line) { return lines_.send(line); }
  // Returns the next complete line that has arrived, without waiting.
  std::optional<std::string> receive();
  bool is_closed() const { return lines_.is_closed(); }  // true if its output has ended
  // Returns how the process ended, as the rest of a sentence: "was ended by signal 11 (Segmentation
  // fault)", "ended with exit code 3". Returns nothing while it runs, or while lines are left.
  std::optional<std::string> find_end();

 private:
  explicit WorkerProcess(LineChannel lines) : lines_(std::move(lines)) {}
  void log_errors();

  LineChannel lines_;
  int pid_ = 0;  // 0: it has ended, or is no child
  int errors_ = -1;
  bool waits_for_end_ = true;
  bool is_child_ = true;
  std::string end_;  // of a worker that is no child, as its last line says
};

// The last line of a worker that is no child of its client: how it ended, after these words.
inline constexpr std::string_view WorkerEndLine = "end: ";

}  // namespace thallo
