#include "core/explore/store/store_json.h"

#include <iterator>
#include <variant>

#include "core/base/json_fields.h"

namespace thallo {
namespace {

using json_fields::Json;

constexpr const char* FormatField = "thallo_store";
constexpr std::int64_t FormatVersion = 6;
constexpr const char* TypeField = "record";

// The names of the alternatives of StoreRecord, in their order.
constexpr const char* TypeNames[] = {"device",  "problem",  "space",  "kernel", "step",
                                     "samples", "schedule", "result", "run"};
static_assert(std::size(TypeNames) == std::variant_size_v<StoreRecord>);

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

}  // namespace thallo
