#include "core/explore/work/messages.h"

#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

void write_line(std::ostream& out, const Json& message) {
  out << message.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
}

// A message whose members have unexpected types is not a message.
WorkerMessage message_of(const Json& json) {
  using Kind = WorkerMessage::Kind;
  WorkerMessage message{.id = json.at("id").get<std::int64_t>()};
  if (json.contains("doing")) {
    message.kind = Kind::Doing;
    message.doing = json["doing"].get<std::string>();
    message.step = json.value("step", "");
    message.solve = json.value("solve", 0);
  } else if (json.contains("part")) {
    message.kind = Kind::Part;
    message.json = json["part"].dump();
  } else if (json.contains("error")) {
    message.kind = Kind::Error;
    message.status =
        parse_result_status(json.value("status", "not_run")).value_or(ResultStatus::NotRun);
    message.reason = json["error"].get<std::string>();
    message.is_cancelled = json.value("cancelled", false);
  } else {
    message.json = json.dump();
  }
  return message;
}

}  // namespace

void MessageWriter::doing(std::string_view what) {
  write_line(*out_, {{"id", id_}, {"doing", what}});
}

void MessageWriter::doing_step(std::string_view what, std::string_view key) {
  write_line(*out_, {{"id", id_}, {"doing", what}, {"step", key}});
}

void MessageWriter::doing_stage(std::string_view stage, int solve) {
  write_line(*out_, {{"id", id_}, {"doing", stage}, {"solve", solve}});
}

void MessageWriter::part(const std::string& json) {
  write_line(*out_, {{"id", id_}, {"part", Json::parse(json)}});
}

void MessageWriter::answer(const std::string& json) {
  Json answer = Json::parse(json);
  answer["id"] = id_;
  write_line(*out_, answer);
}

void MessageWriter::error(ResultStatus status, std::string_view reason, bool is_cancelled) {
  Json message = {{"error", reason}, {"status", to_string(status)}, {"id", id_}};
  if (is_cancelled) message["cancelled"] = true;
  write_line(*out_, message);
}

std::optional<WorkerMessage> read_message(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return message_of(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string cancel_line(std::int64_t id) { return fmt::format("{{\"cancel\":{}}}", id); }

}  // namespace thallo
