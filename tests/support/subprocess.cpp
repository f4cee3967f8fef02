#include "tests/support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <string_view>
#include <system_error>

extern char** environ;

namespace thallo::test {
namespace {

using Clock = std::chrono::steady_clock;

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

// The reading end of a pipe whose writing end becomes a descriptor of the child.
class OutputPipe {
 public:
  OutputPipe() { check(pipe2(ends_.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe2"); }
  ~OutputPipe() {
    close_end(0);
    close_end(1);
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() { close_end(1); }
  // False at the end of the stream.
  bool read_into(std::string& text) {
    std::array<char, 4096> buffer;
    const ssize_t count = read(ends_[0], buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count <= 0) close_end(0);
    return count > 0;
  }

 private:
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) close(ends_[i]);
    ends_[i] = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
};

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::map<std::string, std::string> values;
  const auto set = [&](std::string_view text) {
    const std::size_t equal = text.find('=');
    values[std::string(text.substr(0, equal))] = text;
  };
  for (char** entry = environ; *entry != nullptr; ++entry) set(*entry);
  for (const std::string& entry : added) set(entry);
  std::vector<std::string> merged;
  for (const auto& [name, text] : values) merged.push_back(text);
  return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(std::vector<std::string> arguments, std::vector<std::string> environment, int out,
            int err) {
  posix_spawn_file_actions_t actions;
  check(posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0].c_str(), &actions, nullptr,
                                pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  check(error, arguments[0].c_str());
  return child;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, std::chrono::seconds limit) {
  OutputPipe out, err;
  const pid_t child =
      spawn(arguments, merged_environment(environment), out.writing(), err.writing());
  out.close_writing();
  err.close_writing();

  ProcessResult result;
  const Clock::time_point deadline = Clock::now() + limit;
  bool is_late = false;
  while (out.reading() >= 0 || err.reading() >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    // A descriptor of -1 is ignored by poll().
    std::array<pollfd, 2> fds = {{{out.reading(), POLLIN, 0}, {err.reading(), POLLIN, 0}}};
    if (left <= 0 || poll(fds.data(), fds.size(), static_cast<int>(left)) == 0) {
      is_late = true;
      kill(child, SIGKILL);
      break;
    }
    if (fds[0].revents != 0) out.read_into(result.out);
    if (fds[1].revents != 0) err.read_into(result.err);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!is_late && WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace thallo::test
