#pragma once

// The messages that a worker sends about a request (worker.h), one per line:
//
//   {"id": 4, "doing": {"what": "timing apply", "step": KEY, "solve": 0}}
//   {"id": 4, "part": ...}
//   {"id": 4, "answer": ...}
//   {"id": 4, "error": {"reason": "it was cancelled", "status": "not_run", "is_cancelled": true}}
//
// The worker writes them, and the process that started it reads them.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "core/explore/store/store_records.h"

namespace thallo {

// What a worker does now.
struct WorkerDoing {
  std::string what;       // for a run, the RunStage
  std::string step = {};  // key of the step being timed, if any
  int solve = 0;          // for a run, the number of the solve, from 0
};
THALLO_FIELDS(WorkerDoing, what, step, solve)

// Why there is no answer.
struct WorkerFault {
  std::string reason;  // one sentence
  ResultStatus status = ResultStatus::NotRun;
  bool is_cancelled = false;  // true if the request was cancelled
};
THALLO_FIELDS(WorkerFault, reason, status, is_cancelled)

// Converts a struct of answers.h or this file to JSON, and back. What is read comes from a worker
// of the same build, so a fault in it is our bug, and is thrown as a std::runtime_error. Answers
// that only programs outside of Thallo ask for are only written.
template <class T>
std::string message_text(const T& message);
template <class T>
T read_message_text(const std::string& json);

// Writes the messages about one request.
class MessageWriter {
 public:
  MessageWriter(std::ostream& out, std::int64_t id) : out_(&out), id_(id) {}

  void doing(const WorkerDoing& doing) { write("doing", message_text(doing)); }
  template <class Part>
  void part(const Part& part) {
    write("part", message_text(part));
  }
  template <class Answer>
  void answer(const Answer& answer) {
    write("answer", message_text(answer));
  }
  void error(const WorkerFault& fault) { write("error", message_text(fault)); }

 private:
  void write(const char* kind, const std::string& json);

  std::ostream* out_;
  std::int64_t id_;
};

struct WorkerMessage {
  enum class Kind { Doing, Part, Answer, Error };

  std::int64_t id = 0;  // of the request
  Kind kind = Kind::Answer;
  std::string json = {};  // of a part or an answer
  WorkerDoing doing = {};
  WorkerFault fault = {};

  template <class T>
  T as() const {
    return read_message_text<T>(json);
  }
};

// Returns nothing if the line is not a message.
std::optional<WorkerMessage> read_message(const std::string& line);

}  // namespace thallo
