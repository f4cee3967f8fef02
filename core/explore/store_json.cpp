#include "core/explore/store_json.h"

#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/suggest.h"

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* FormatField = "thallo_store";
// Files of each format from 1 on are read.
constexpr std::int64_t FormatVersion = 3;
constexpr const char* TypeField = "record";

// Defines the fields of each type, for reading and for writing: `fields` is called with the name of
// each field, the member, and the first format that has the field if that is not 1.
template <class Fields>
void visit_fields(DeviceRecord& r, Fields&& fields) {
  fields("signature", r.signature);
  fields("name", r.name);
  fields("backend", r.backend);
}
template <class Fields>
void visit_fields(ProblemRecord& r, Fields&& fields) {
  fields("signature", r.signature);
  fields("name", r.name);
  fields("options", r.options);
  fields("title", r.title);
}
template <class Fields>
void visit_fields(SpaceRecord& r, Fields&& fields) {
  fields("id", r.id);
  fields("description", r.description);
}
template <class Fields>
void visit_fields(KernelRecord& r, Fields&& fields) {
  fields("key", r.key);
  fields("compiler", r.compiler);
  fields("role", r.role);
  fields("registers", r.registers);
  fields("spill_bytes", r.spill_bytes);
  fields("shared_bytes", r.shared_bytes, 2);
  fields("compile_seconds", r.compile_seconds, 2);
  fields("reason", r.reason);
}
template <class Fields>
void visit_fields(StepRecord& r, Fields&& fields) {
  fields("problem", r.problem);
  fields("key", r.key);
  fields("label", r.label);
  fields("features", r.features);
  fields("kernel", r.kernel, 2);
}
template <class Fields>
void visit_fields(Origin& r, Fields&& fields) {
  fields("commit", r.commit);
  fields("unix_seconds", r.unix_seconds);
}
template <class Fields>
void visit_fields(StepSamples& r, Fields&& fields) {
  fields("problem", r.slot.problem);
  fields("device", r.slot.device);
  fields("key", r.slot.key);
  fields("cache", r.slot.cache);
  fields("seconds", r.seconds);
  fields("reason", r.reason);
  visit_fields(r.origin, fields);
}
template <class Fields>
void visit_fields(SchedulePlace& r, Fields&& fields) {
  fields("space", r.space);
  fields("index", r.index);
}
template <class Fields>
void visit_fields(SchedulePrediction& r, Fields&& fields) {
  fields("device", r.device);
  fields("model", r.model);
  fields("nonlinear_seconds", r.nonlinear_seconds);
  fields("linear_seconds", r.linear_seconds);
}
template <class Fields>
void visit_fields(StepUse& r, Fields&& fields) {
  fields("device", r.device);
  fields("key", r.key);
  fields("runs", r.runs);
  fields("predicted_seconds", r.predicted_seconds);
}
template <class Fields>
void visit_fields(Decision& r, Fields&& fields) {
  fields("construct", r.construct);
  fields("site", r.site);
  fields("choice", r.choice);
}
template <class Fields>
void visit_fields(ScheduleRecord& r, Fields&& fields) {
  fields("problem", r.problem);
  fields("hash", r.hash);
  fields("text", r.text);
  fields("bytes", r.bytes);
  fields("places", r.places);
  fields("predictions", r.predictions);
  fields("steps", r.steps, 2);
  fields("decisions", r.decisions, 3);
}
template <class Fields>
void visit_fields(CostPoint& r, Fields&& fields) {
  fields("seconds", r.seconds);
  fields("cost", r.cost);
}
template <class Fields>
void visit_fields(ScheduleResult& r, Fields&& fields) {
  fields("problem", r.slot.problem);
  fields("device", r.slot.device);
  fields("schedule", r.slot.schedule);
  fields("kind", r.slot.kind);
  fields("status", r.status);
  fields("reason", r.reason);
  fields("nonlinear_seconds", r.nonlinear_seconds);
  fields("linear_seconds", r.linear_seconds);
  fields("linear_iterations", r.linear_iterations);
  fields("samples", r.samples);
  fields("trace", r.trace);
  fields("verification_error", r.verification_error);
  fields("small_error", r.small_error, 2);
  visit_fields(r.origin, fields);
}

// The names of the alternatives of StoreRecord, in their order.
constexpr const char* TypeNames[] = {"device", "problem", "space",    "kernel",
                                     "step",   "samples", "schedule", "result"};
static_assert(std::size(TypeNames) == std::variant_size_v<StoreRecord>);

Json json_of(const std::string& value) { return value; }
Json json_of(std::int64_t value) { return value; }
Json json_of(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}
template <class E>
requires std::is_enum_v<E> Json json_of(E value) { return std::string(to_string(value)); }
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json();
}
template <class T>
Json json_of(const std::vector<T>& values);

template <class Record>
requires std::is_class_v<Record> Json json_of(const Record& record) {
  Json json = Json::object();
  Record copy = record;  // visit_fields() takes non-const records because it also reads
  visit_fields(copy, [&](const char* name, const auto& value, std::int64_t = 1) {
    json[name] = json_of(value);
  });
  return json;
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(json_of(value));
  return json;
}

// Reads the fields of a JSON object into the members of a record. Keeps the first fault.
class FieldReader {
 public:
  FieldReader(const Json& json, std::int64_t format) : json_(json), format_(format) {}

  template <class T>
  void operator()(const char* name, T& value, std::int64_t first_format = 1) {
    known_.emplace_back(name);
    const auto it = json_.find(name);
    if (it == json_.end()) {
      if (format_ < first_format) return;
      set_fault(fmt::format("'{}' is missing", name));
      return;
    }
    if (const auto fault = read(*it, value); !fault.empty())
      set_fault(fmt::format("'{}' {}", name, fault));
  }

  void allow(const char* name) { known_.emplace_back(name); }

  // Returns "" if every field was read and there are no others.
  std::string take_fault() {
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(known_, name) == known_.end())
        set_fault(fmt::format("there is no field '{}'{}", name, did_you_mean(name, known_)));
    }
    return std::move(fault_);
  }

 private:
  void set_fault(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

  // Each function returns "", or what is wrong with the value.
  static std::string read(const Json& json, std::string& value) {
    if (!json.is_string()) return "is no text";
    value = json.get<std::string>();
    return "";
  }
  static std::string read(const Json& json, std::int64_t& value) {
    if (!json.is_number_integer()) return "is no integer";
    value = json.get<std::int64_t>();
    return "";
  }
  static std::string read(const Json& json, double& value) {
    constexpr double Infinity = std::numeric_limits<double>::infinity();
    if (json.is_number()) {
      value = json.get<double>();
    } else if (json == "inf" || json == "-inf") {
      value = json == "inf" ? Infinity : -Infinity;
    } else if (json == "nan" || json == "-nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      return "is no number";
    }
    return "";
  }
  template <class E>
  requires std::is_enum_v<E>
  static std::string read(const Json& json, E& value) {
    std::string text;
    if (std::string fault = read(json, text); !fault.empty()) return fault;
    const auto parsed = parse(text, value);
    if (!parsed) return "is illegal: " + parsed.error().message();
    value = *parsed;
    return "";
  }
  static Expected<CacheState> parse(const std::string& text, CacheState) {
    return parse_cache_state(text);
  }
  static Expected<ResultKind> parse(const std::string& text, ResultKind) {
    return parse_result_kind(text);
  }
  static Expected<ResultStatus> parse(const std::string& text, ResultStatus) {
    return parse_result_status(text);
  }
  template <class T>
  static std::string read(const Json& json, std::optional<T>& value) {
    value.reset();
    return json.is_null() ? "" : read(json, value.emplace());
  }
  template <class T>
  static std::string read(const Json& json, std::vector<T>& values) {
    if (!json.is_array()) return "is no array";
    for (const Json& element : json) {
      if (std::string fault = read(element, values.emplace_back()); !fault.empty())
        return fmt::format("has an element that {}", fault);
    }
    return "";
  }
  template <class Record>
  requires std::is_class_v<Record>
  static std::string read(const Json& json, Record& record) {
    if (!json.is_object()) return "is no object";
    FieldReader reader(json, FormatVersion);
    visit_fields(record, reader);
    const std::string fault = reader.take_fault();
    return fault.empty() ? "" : fmt::format("is refused: {}", fault);
  }

  const Json& json_;
  std::int64_t format_;
  std::vector<std::string> known_;
  std::string fault_;
};

// Makes a record of the type with this index among the alternatives.
template <std::size_t I = 0>
StoreRecord make_record(std::size_t type) {
  if constexpr (I + 1 < std::variant_size_v<StoreRecord>) {
    if (type != I) return make_record<I + 1>(type);
  }
  return StoreRecord(std::in_place_index<I>);
}

Expected<StoreRecord> parse_record(const Json& json, std::int64_t format) {
  const auto type = json.find(TypeField);
  if (type == json.end() || !type->is_string()) return fail("'{}' is missing", TypeField);
  const std::vector<std::string> names(std::begin(TypeNames), std::end(TypeNames));
  const auto name = std::ranges::find(names, type->get<std::string>());
  if (name == names.end()) {
    return fail(
        Diagnostic{fmt::format("there is no record '{}'", type->get<std::string>()), {}, names});
  }
  StoreRecord record = make_record(static_cast<std::size_t>(name - names.begin()));
  FieldReader reader(json, format);
  reader.allow(TypeField);
  std::visit([&](auto& r) { visit_fields(r, reader); }, record);
  if (std::string fault = reader.take_fault(); !fault.empty())
    return fail("{} of a {}", fault, *name);
  if (auto valid = check_record(record); !valid) return fail(valid.error());
  return record;
}

Expected<std::int64_t> format_of(const Json& json) {
  const auto version = json.find(FormatField);
  if (version == json.end())
    return fail("the first line must be {{\"{}\": {}}}", FormatField, FormatVersion);
  const std::int64_t format = version->is_number_integer() ? version->get<std::int64_t>() : 0;
  if (format < 1 || format > FormatVersion)
    return fail("this is format {}, and 1 to {} are known", version->dump(), FormatVersion);
  return format;
}

}  // namespace

std::string to_json_lines(std::span<const StoreRecord> records) {
  std::string lines = Json{{FormatField, FormatVersion}}.dump() + "\n";
  for (const StoreRecord& record : records) {
    Json line = {{TypeField, TypeNames[record.index()]}};
    line.update(std::visit([](const auto& r) { return json_of(r); }, record));
    // In texts that are not valid UTF-8, such as compiler messages, the invalid bytes are replaced.
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

Expected<std::vector<StoreRecord>> parse_json_lines(const std::filesystem::path& name,
                                                    std::string_view content) {
  std::vector<StoreRecord> records;
  std::optional<std::int64_t> format;
  int number = 0;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const SourceLocation here = {name, number, 0};
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return fail_at(here, "the line is no JSON object");
    if (!format) {
      const auto known = format_of(json);
      if (!known) return fail_at(here, "{}", known.error().what);
      format = *known;
      continue;
    }
    auto record = parse_record(json, *format);
    if (!record) {
      Diagnostic fault = record.error();
      fault.where = here;
      return fail(std::move(fault));
    }
    records.push_back(*std::move(record));
  }
  if (!format) return fail_at({name}, "the file is empty");
  return records;
}

}  // namespace thallo
