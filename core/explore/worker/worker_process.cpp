#include "core/explore/worker/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "core/base/log.h"

extern char** environ;

namespace thallo {
namespace {

constexpr int SendTimeoutMs = 5000;

// Appends what has arrived at a file that does not block. Returns true at its end.
bool read_into(std::string& text, int file) {
  char buffer[65536];
  while (true) {
    const ssize_t count = ::read(file, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0) {
      return true;
    } else if (errno != EINTR) {
      return errno != EAGAIN;  // a connection that was reset has ended, too
    }
  }
}

// Waits for a process as long as it takes, or only looks. Returns false if it still runs.
bool wait_for(int pid, int& status, bool waits) {
  while (true) {
    const pid_t ended = waitpid(pid, &status, waits ? 0 : WNOHANG);
    if (ended >= 0 || errno != EINTR) return ended != 0;
  }
}

// Kills a process that was told to end and does not, and waits for its end.
void end_in_time(int pid) {
  constexpr int MaxWaits = 500;
  int status = 0;
  for (int i = 0; i < MaxWaits; ++i) {
    if (wait_for(pid, status, false)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(pid, SIGKILL);
  wait_for(pid, status, true);
}

// Processes that were told to end and have not ended yet. The system keeps them until they are
// looked at.
class EndingProcesses {
 public:
  void add(int pid) {
    const std::scoped_lock lock(mutex_);
    pids_.push_back(pid);
    std::erase_if(pids_, [pid](int its) {
      int status = 0;
      if (wait_for(its, status, false)) return true;
      if (its != pid) kill(its, SIGKILL);
      return false;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<int> pids_;
};

EndingProcesses& ending_processes() {
  static EndingProcesses processes;
  return processes;
}

struct Pipe {
  int read = -1, write = -1;

  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

void close_if_open(int file) {
  if (file >= 0) close(file);
}

}  // namespace

LineChannel::LineChannel(int input, int output) : input_(input), output_(output) {
  // Writing to a process that has ended must not kill this one.
  std::signal(SIGPIPE, SIG_IGN);
  for (const int file : {input_, output_}) fcntl(file, F_SETFL, O_NONBLOCK);
}

LineChannel::LineChannel(int socket) : LineChannel(socket, socket) {}

LineChannel::LineChannel(LineChannel&& other) noexcept
    : input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      is_closed_(other.is_closed_),
      received_(std::move(other.received_)) {}

LineChannel::~LineChannel() {
  if (output_ >= 0) close(output_);
  if (input_ >= 0 && input_ != output_) close(input_);
}

bool LineChannel::send(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::write(input_, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd input = {input_, POLLOUT, 0};
      if (poll(&input, 1, SendTimeoutMs) == 0) return false;
      continue;
    }
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> LineChannel::receive() {
  if (!is_closed_) is_closed_ = read_into(received_, output_);
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return {};
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

Expected<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& command,
                                             const WorkerOptions& options) {
  Pipe input, output, errors;
  if (!input.open() || !output.open() || (options.logs_errors && !errors.open())) {
    const int code = errno;
    for (const Pipe& pipe : {input, output, errors}) {
      close_if_open(pipe.read);
      close_if_open(pipe.write);
    }
    return fail("no pipe to a worker: {}", std::strerror(code));
  }
  WorkerProcess worker(LineChannel(input.write, output.read));
  worker.errors_ = errors.read;
  worker.waits_for_end_ = options.waits_for_end;
  if (errors.read >= 0) fcntl(errors.read, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  if (options.logs_errors) posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO);
  std::vector<std::string> texts = command;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const int code =
      posix_spawnp(&worker.pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  for (const int file : {input.read, output.write, errors.write}) close_if_open(file);
  if (code != 0) {
    worker.pid_ = 0;
    return fail("the worker {} cannot be started: {}", command.front(), std::strerror(code));
  }
  return worker;
}

WorkerProcess WorkerProcess::connected(int socket) {
  WorkerProcess worker{LineChannel(socket)};
  worker.is_child_ = false;
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : lines_(std::move(other.lines_)),
      pid_(std::exchange(other.pid_, 0)),
      errors_(std::exchange(other.errors_, -1)),
      waits_for_end_(other.waits_for_end_),
      is_child_(other.is_child_),
      end_(std::move(other.end_)) {}

// At SIGTERM, a worker ends its compilers and removes their folders.
WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    if (waits_for_end_)
      end_in_time(pid_);
    else
      ending_processes().add(pid_);
  }
  log_errors();
  close_if_open(errors_);
}

std::vector<int> WorkerProcess::outputs() const {
  std::vector<int> files = {lines_.output()};
  if (errors_ >= 0) files.push_back(errors_);
  return files;
}

void WorkerProcess::log_errors() {
  if (errors_ < 0) return;
  std::string text;
  read_into(text, errors_);
  while (text.ends_with('\n')) text.pop_back();
  if (!text.empty()) logger("explore").info("worker: {}", text);
}

std::optional<std::string> WorkerProcess::receive() {
  log_errors();
  std::optional<std::string> line = lines_.receive();
  if (is_child_ || !line || !line->starts_with(WorkerEndLine)) return line;
  end_ = line->substr(WorkerEndLine.size());
  return {};
}

std::optional<std::string> WorkerProcess::find_end() {
  if (!lines_.is_at_end()) return {};
  if (!is_child_) return end_.empty() ? "was lost: its connection has ended" : end_;
  int status = 0;
  if (!wait_for(pid_, status, waits_for_end_)) return {};
  pid_ = 0;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was ended by signal {} ({}{})", signal, strsignal(signal),
                       signal == SIGKILL ? ", as when memory runs out" : "");
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace thallo
