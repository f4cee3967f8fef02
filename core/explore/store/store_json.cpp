#include "core/explore/store/store_json.h"

#include <algorithm>
#include <utility>

#include "core/base/json_fields.h"

namespace thallo {
namespace {

using json_fields::Json;

constexpr const char* FormatField = "thallo_store";
// Files of each format from 1 on are read.
constexpr std::int64_t FormatVersion = 6;
constexpr const char* TypeField = "record";

// The fields that came with later formats.
constexpr std::pair<std::string_view, std::int64_t> NewFields[] = {
    {"shared_bytes", 2}, {"compile_seconds", 2}, {"kernel", 2}, {"steps", 2}, {"small_error", 2},
    {"decisions", 3},    {"loop_bytes", 4},      {"spec", 4},   {"uuid", 5}};

// The names of the alternatives of StoreRecord, in their order.
constexpr const char* TypeNames[] = {"device",  "problem",  "space",  "kernel", "step",
                                     "samples", "schedule", "result", "run"};
static_assert(std::size(TypeNames) == std::variant_size_v<StoreRecord>);

Expected<StoreRecord> parse_record(const Json& json, std::int64_t format) {
  const auto type = json.find(TypeField);
  if (type == json.end() || !type->is_string()) return fail("'{}' is missing", TypeField);
  const std::vector<std::string> names(std::begin(TypeNames), std::end(TypeNames));
  const auto name = std::ranges::find(names, type->get<std::string>());
  if (name == names.end()) {
    return fail(
        Diagnostic{fmt::format("there is no record '{}'", type->get<std::string>()), {}, names});
  }
  auto record =
      json_fields::make_alternative<StoreRecord>(static_cast<std::size_t>(name - names.begin()));
  std::vector<std::string_view> may_be_missing;
  for (const auto& [field, first_format] : NewFields)
    if (format < first_format) may_be_missing.push_back(field);
  json_fields::FieldReader reader(json, std::move(may_be_missing));
  reader.allow(TypeField);
  std::visit([&](auto& r) { visit_fields(r, reader); }, record);
  if (std::string fault = reader.take_fault(); !fault.empty())
    return fail("{} of a {}", fault, *name);
  THALLO_CHECK(check_record(record));
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
    line.update(json_fields::write(record, Fidelity::Exact));
    // Only the key of a map can still have bytes that are no UTF-8.
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

Expected<std::vector<StoreRecord>> parse_json_lines(const std::filesystem::path& name,
                                                    std::string_view content,
                                                    std::vector<SourceLocation>* places) {
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
    if (places != nullptr) places->push_back(here);
  }
  if (!format) return fail_at({name}, "the file is empty");
  return records;
}

}  // namespace thallo
