#pragma once

// Lines of text that are sent and received through files: two pipes, or a socket.

#include <optional>
#include <string>

namespace thallo {

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

// Appends what has arrived at a file that does not block. Returns true at its end.
bool read_into(std::string& text, int file);

}  // namespace thallo
