#include "core/explore/worker/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

extern char** environ;

namespace thallo {
namespace {

constexpr int SendTimeoutMs = 5000;

}  // namespace

Expected<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& command) {
  // Writing to a worker that has ended must not kill this process.
  std::signal(SIGPIPE, SIG_IGN);
  int to_child[2];
  int from_child[2];
  if (pipe2(to_child, O_CLOEXEC) != 0) return fail("no pipe to a worker: {}", std::strerror(errno));
  if (pipe2(from_child, O_CLOEXEC) != 0) {
    const int code = errno;
    close(to_child[0]);
    close(to_child[1]);
    return fail("no pipe from a worker: {}", std::strerror(code));
  }
  WorkerProcess worker;
  worker.input_ = to_child[1];
  worker.output_ = from_child[0];
  fcntl(worker.input_, F_SETFL, O_NONBLOCK);
  fcntl(worker.output_, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
  std::vector<std::string> texts = command;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const int code =
      posix_spawnp(&worker.pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to_child[0]);
  close(from_child[1]);
  if (code != 0) {
    worker.pid_ = -1;
    return fail("the worker {} cannot be started: {}", command.front(), std::strerror(code));
  }
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      is_closed_(other.is_closed_),
      received_(std::move(other.received_)) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) end();
  if (input_ >= 0) close(input_);
  if (output_ >= 0) close(output_);
}

bool WorkerProcess::send(const std::string& line) {
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

void WorkerProcess::read_all() {
  char buffer[65536];
  while (!is_closed_) {
    const ssize_t count = ::read(output_, buffer, sizeof buffer);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0) {
      is_closed_ = true;
    } else if (errno != EINTR) {
      return;  // no more data for now
    }
  }
}

std::optional<std::string> WorkerProcess::receive() {
  read_all();
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return {};
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

std::string WorkerProcess::end() {
  if (pid_ <= 0) return "has ended";
  int status = 0;
  // The process may be about to exit by itself; then its own exit status is reported.
  if (!is_closed_) kill(pid_, SIGKILL);
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace thallo
