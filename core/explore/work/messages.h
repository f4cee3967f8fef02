#pragma once

// The messages that a worker sends about a request (worker.h), one per line. The worker writes
// them, and the process that started it reads them.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "core/explore/store_records.h"

namespace thallo {

// Writes the messages about one request.
class MessageWriter {
 public:
  MessageWriter(std::ostream& out, std::int64_t id) : out_(&out), id_(id) {}

  void doing(std::string_view what);
  void doing_step(std::string_view what, std::string_view key);
  void doing_stage(std::string_view stage, int solve);
  // Both take JSON text; an answer is an object.
  void part(const std::string& json);
  void answer(const std::string& json);
  void error(ResultStatus status, std::string_view reason, bool is_cancelled);

 private:
  std::ostream* out_;
  std::int64_t id_;
};

struct WorkerMessage {
  enum class Kind { Doing, Part, Answer, Error };

  std::int64_t id = 0;  // of the request
  Kind kind = Kind::Answer;
  std::string json;   // Part: the part. Answer: all of it
  std::string doing;  // Doing: what the worker does now; for a run, the RunStage
  std::string step;   // Doing: key of the step being timed, if any
  int solve = 0;      // Doing: for a run, the number of the solve, from 0
  ResultStatus status = ResultStatus::Ok;  // Error
  std::string reason;                      // Error: one sentence
  bool is_cancelled = false;               // Error: true if the request was cancelled
};

// Returns nothing if the line is not a message.
std::optional<WorkerMessage> read_message(const std::string& line);

// Returns the line that cancels a request.
std::string cancel_line(std::int64_t id);

}  // namespace thallo
