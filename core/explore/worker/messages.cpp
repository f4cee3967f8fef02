#include "core/explore/worker/messages.h"

#include <array>
#include <ostream>
#include <stdexcept>

#include "core/explore/worker/requests.h"
#include "core/problem/run_fields.h"

namespace thallo {
namespace {

using json_fields::Json;

// The names of the alternatives of WorkerRequest, in their order.
constexpr const char* RequestNames[] = {"open",    "prepare", "kernels", "time", "solve", "run",
                                        "profile", "choose",  "read",    "draw", "cancel"};
static_assert(std::size(RequestNames) == std::variant_size_v<WorkerRequest>);

// The names of WorkerMessage::Kind.
constexpr std::array KindNames = {"doing", "part", "answer", "error"};

// Only the key of a map can still have bytes that are no UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Returns 0 if the object has no such number.
std::int64_t id_of(const Json& json) {
  const auto found = json.find("id");
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

// Profiles are only written: what they consist of is derived.
template <class Fields>
void visit_fields(StepMatrix& r, Fields&& fields) {
  fields("format", std::string(to_string(r.kind)));
  fields("transposed", r.is_transposed);
  fields("rows", r.shape.rows);
  fields("columns", r.shape.cols);
  fields("entries", r.shape.entries);
}
template <class Fields>
void visit_fields(StepTiming& r, Fields&& fields) {
  fields("phase", std::string(to_string(r.step.phase)));
  fields("kind", std::string(to_string(r.step.kind)));
  fields("step", r.step.label);
  fields("key", r.step.key);
  fields("launched", r.step.is_launched);
  fields("points", r.step.points);
  fields("bytes", r.step.bytes);
  fields("matrix", r.step.matrix);
  fields("hot", r.hot);
  fields("evicted", r.evicted);
  fields("fault", r.fault);
}
template <class Fields>
void visit_fields(LoopTiming& r, Fields&& fields) {
  fields("iterations", r.num_iterations);
  fields("seconds", r.seconds);
}
template <class Fields>
void visit_fields(IterationProfile& r, Fields&& fields) {
  fields("steps", r.steps);
  fields("loop", r.loop);
  fields("reset_period", r.reset_period);
  fields("hot", r.linear_iteration_seconds(CacheUse::Hot));
  fields("evicted", r.linear_iteration_seconds(CacheUse::Evicted));
}

std::string request_line(std::int64_t id, const WorkerRequest& request) {
  Json json = {{"id", id}, {"do", RequestNames[request.index()]}};
  json.update(json_fields::write(request, Fidelity::Exact));
  return text_of(json);
}

Expected<WorkerRequest> read_request(const std::string& line, std::int64_t& id) {
  id = 0;
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return fail("a request is a JSON object on a line");
  id = id_of(json);
  if (id == 0) return fail("a request has a number 'id'");
  const std::string name =
      json.contains("do") && json["do"].is_string() ? json["do"].get<std::string>() : std::string();
  const std::vector<std::string> names(std::begin(RequestNames), std::end(RequestNames));
  const auto kind = std::ranges::find(names, name);
  if (kind == names.end())
    return fail(Diagnostic{fmt::format("'{}' is no request", name), {}, names});
  auto request =
      json_fields::make_alternative<WorkerRequest>(static_cast<std::size_t>(kind - names.begin()));
  json_fields::FieldReader reader(json);
  reader.allow("id");
  reader.allow("do");
  std::visit([&](auto& its) { visit_fields(its, reader); }, request);
  if (const std::string fault = reader.take_fault(); !fault.empty())
    return fail("the request '{}' cannot be read: {}", name, fault);
  return request;
}

template <class T>
std::string message_text(const T& message) {
  return text_of(json_fields::write(message, Fidelity::Exact));
}

template <class T>
T read_message_text(const std::string& text) {
  T message;
  const std::string fault = json_fields::read(Json::parse(text), message);
  if (!fault.empty()) throw std::runtime_error("what a worker sent " + fault);
  return message;
}

#define THALLO_MESSAGE(Type)                      \
  template std::string message_text(const Type&); \
  template Type read_message_text(const std::string&);
THALLO_MESSAGE(WorkerDoing)
THALLO_MESSAGE(WorkerFault)
THALLO_MESSAGE(NoAnswer)
THALLO_MESSAGE(OpenedProblem)
THALLO_MESSAGE(PreparedSchedule)
THALLO_MESSAGE(TimedStep)
THALLO_MESSAGE(ScheduleResult)
THALLO_MESSAGE(KernelText)
THALLO_MESSAGE(KernelsAnswer)
THALLO_MESSAGE(RunIteration)
THALLO_MESSAGE(RunAnswer)
#undef THALLO_MESSAGE
template std::string message_text(const IterationProfile&);
template std::string message_text(const TimedChoice&);
template std::string message_text(const TimedReading&);
template std::string message_text(const DrawnPicture&);

void MessageWriter::write(const char* kind, const std::string& json) {
  *out_ << fmt::format("{{\"id\":{},\"{}\":{}}}\n", id_, kind, json) << std::flush;
}

std::optional<WorkerMessage> read_message(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("id") || !json["id"].is_number_integer())
    return std::nullopt;
  WorkerMessage message{.id = id_of(json)};
  for (std::size_t kind = 0; kind < KindNames.size(); ++kind) {
    const auto found = json.find(KindNames[kind]);
    if (found == json.end()) continue;
    message.kind = static_cast<WorkerMessage::Kind>(kind);
    std::string fault;
    if (message.kind == WorkerMessage::Kind::Doing) {
      fault = json_fields::read(*found, message.doing);
    } else if (message.kind == WorkerMessage::Kind::Error) {
      fault = json_fields::read(*found, message.fault);
    } else {
      message.json = found->dump();
    }
    if (fault.empty()) return message;
  }
  return std::nullopt;
}

}  // namespace thallo
