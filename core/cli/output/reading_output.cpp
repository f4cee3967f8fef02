#include "core/cli/output/reading_output.h"

#include <nlohmann/json.hpp>

#include "core/cli/output/json_text.h"
#include "core/schedule/schedule_reader.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Diagnostic& fault) {
  return {{"file", fault.where.file},
          {"line", fault.where.line},
          {"column", fault.where.column},
          {"what", fault.what},
          {"legal", fault.alternatives}};
}

Json json_of(const PlacedDirective& placed, const ScheduleStatement& statement) {
  return {{"construct", placed.directive.construct},
          {"kind", to_string(placed.directive.site.kind)},
          {"site", placed.directive.site.name},
          {"choice", placed.directive.choice.label},
          {"is_replaced", placed.is_replaced},
          {"statement", statement.text()},
          {"assumed_of", statement.assumed_of.empty() ? Json() : Json(statement.assumed_of)},
          {"file", statement.where.file},
          {"line", statement.where.line},
          {"column", statement.where.column},
          {"end_line", statement.end.line},
          {"end_column", statement.end.column}};
}

}  // namespace

ExitCode print_reading(const Energy& energy, const ScheduleText& written,
                       const ConstructRegistry& constructs) {
  ScheduleReading reading;
  if (written.faults.empty()) {
    reading = read_statements(energy, written.statements, constructs);
  } else {
    reading.faults = written.faults;
  }
  Json json = {{"text", reading.schedule ? Json(reading.schedule->text(constructs)) : Json()},
               {"faults", Json::array()},
               {"directives", Json::array()}};
  for (const Diagnostic& fault : reading.faults) json["faults"].push_back(json_of(fault));
  for (const PlacedDirective& placed : reading.directives)
    json["directives"].push_back(json_of(placed, written.statements[placed.statement]));
  print_json(json);
  return reading.schedule ? ExitCode::Ok : ExitCode::User;
}

}  // namespace thallo::cli
