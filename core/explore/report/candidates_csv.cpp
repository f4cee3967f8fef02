#include "core/explore/report/candidates_csv.h"

#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/explore/report/report.h"

namespace thallo {
namespace {

// Writes a CSV field on one line, quoted if necessary.
std::string csv_field(const std::string& text) {
  std::string field;
  for (const char c : text) {
    if (c == '\n') {
      field += "; ";
    } else {
      field += c == '"' ? "\"\"" : std::string(1, c);
    }
  }
  const bool is_plain = field.find_first_of(",\";") == std::string::npos;
  return is_plain ? field : '"' + field + '"';
}

std::string csv_number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string candidates_csv(std::span<const Candidate* const> candidates, ResultKind kind) {
  std::set<std::string> models;
  for (const Candidate* candidate : candidates)
    for (const auto& [model, prediction] : candidate->predictions) models.insert(model);
  std::string text = "index,hash,seconds,composed,end_to_end";
  for (const std::string& model : models) text += "," + csv_field(model);
  text += ",bytes,status,reason,schedule\n";
  for (const Candidate* candidate : candidates) {
    const ScheduleResult* outcome = candidate->outcome();
    text += fmt::format("{},{},{},{},{}", candidate->index.value_or(""), candidate->hash,
                        csv_number(measured_seconds(*candidate, kind)),
                        csv_number(seconds_of(candidate->composed)),
                        csv_number(seconds_of(candidate->end_to_end)));
    for (const std::string& model : models) text += "," + csv_number(candidate->predicted(model));
    text +=
        fmt::format(",{},{},{},{}\n", candidate->bytes, outcome ? to_string(outcome->status) : "",
                    csv_field(outcome ? outcome->reason : ""), csv_field(candidate->text));
  }
  return text;
}

}  // namespace thallo
