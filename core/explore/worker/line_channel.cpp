#include "core/explore/worker/line_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace thallo {
namespace {

constexpr int SendTimeoutMs = 5000;

}  // namespace

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

}  // namespace thallo
