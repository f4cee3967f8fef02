#pragma once

// The messages of a worker about a request (worker.h), one a line: a worker writes them, and
// whoever started it reads them.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "core/explore/store_records.h"

namespace thallo {

// Messages about one request.
class MessageWriter {
 public:
  MessageWriter(std::ostream& out, std::int64_t id) : out_(&out), id_(id) {}

  void doing(std::string_view what);
  void doing_step(std::string_view what, std::string_view key);
  void doing_stage(std::string_view stage, int solve);
  // Both are JSON texts; an answer is an object.
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
  std::string doing;  // Doing: what the worker is at; of a run the name of a RunStage
  std::string step;   // Doing: the key of the step that it is at; empty if at none
  int solve = 0;      // Doing: of a run, from 0
  ResultStatus status = ResultStatus::Ok;  // Error
  std::string reason;                      // Error: one sentence
  bool is_cancelled = false;               // Error: since that was asked for
};

// Nothing for a line that is no message.
std::optional<WorkerMessage> read_message(const std::string& line);

// The line that cancels a request.
std::string cancel_line(std::int64_t id);

}  // namespace thallo
