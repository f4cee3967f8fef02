// Writes the report as JSON and CSV (report_output.h).
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cli/json_text.h"
#include "core/cli/report_output.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

// Returns the result of a schedule; a failed one if there is any.
const ScheduleResult* outcome_of(const Candidate& candidate) {
  const ScheduleResult* outcome = nullptr;
  for (const auto* result : {&candidate.composed, &candidate.end_to_end}) {
    if (!*result) continue;
    if (outcome == nullptr || !(*result)->is_ok()) outcome = &**result;
  }
  return outcome;
}

std::optional<double> seconds_of(const std::optional<ScheduleResult>& result) {
  if (!result || !result->is_ok()) return {};
  return result->nonlinear_seconds;
}

Json json_of(const DecisionTable& table, const DecisionTable::Schedule& schedule) {
  if (!schedule.is_known) return {};
  Json decisions = Json::array();
  for (const std::uint32_t number : schedule.said) {
    const auto& [construct, site, choice] = table.different[number];
    decisions.push_back({{"construct", construct}, {"site", site}, {"choice", choice}});
  }
  return decisions;
}

Json json_of(const SiteEffect& effect) {
  Json choices = Json::array();
  for (std::size_t k = 0; k < effect.choices.size(); ++k) {
    choices.push_back({{"choice", effect.choices[k]},
                       {"median", json_of(effect.medians[k])},
                       {"schedules", effect.num_made[k]}});
  }
  return {{"site", effect.site},           {"together", effect.together},
          {"explained", effect.explained}, {"alone", effect.alone},
          {"chance", effect.chance},       {"significant", effect.is_significant()},
          {"timed", effect.num_timed},     {"compared", effect.num_compared},
          {"choices", std::move(choices)}};
}

Json json_of(const Candidate& candidate, ResultKind kind) {
  const ScheduleResult* outcome = outcome_of(candidate);
  Json models = Json::object();
  for (const auto& [model, prediction] : candidate.predictions)
    models[model] = json_of(prediction.nonlinear_seconds);
  return {{"index", candidate.index ? Json(*candidate.index) : Json()},
          {"hash", candidate.hash},
          {"seconds", json_of(measured_seconds(candidate, kind))},
          {"composed", json_of(seconds_of(candidate.composed))},
          {"end_to_end", json_of(seconds_of(candidate.end_to_end))},
          {"predicted", std::move(models)},
          {"bytes", candidate.bytes},
          {"status", outcome ? Json(to_string(outcome->status)) : Json()},
          {"reason", outcome ? outcome->reason : ""},
          {"schedule", candidate.text}};
}

Json json_of(const CostTrace& trace) {
  Json points = Json::array();
  for (const CostPoint& point : trace.points) points.push_back({point.seconds, point.cost});
  return {{"hash", trace.hash},
          {"to_one_percent", json_of(trace.to_one_percent)},
          {"to_one_permille", json_of(trace.to_one_permille)},
          {"points", std::move(points)}};
}

Json json_of(const ScheduleStep& step) {
  return {{"change", step.change},
          {"hash", step.hash},
          {"seconds", json_of(step.measured)},
          {"estimated", json_of(step.predicted)},
          {"factor", json_of(step.factor)},
          {"factor_is_measured", step.is_factor_measured}};
}

Json json_of_kernels(const DeviceReport& device) {
  return {{"compiled", device.num_kernels},
          {"seconds", json_of(device.compile_seconds)},
          {"most_registers", device.most_registers ? Json(*device.most_registers) : Json()},
          {"spilling", device.num_spilling}};
}

Json json_of(const SlowestSteps& slowest) {
  const auto integer = [](const std::optional<std::int64_t>& value) {
    return value ? Json(*value) : Json();
  };
  Json json = {{"hash", slowest.hash.empty() ? Json() : Json(slowest.hash)},
               {"others", slowest.num_others},
               {"steps", Json::array()}};
  for (const StepCost& step : slowest.steps) {
    json["steps"].push_back({{"label", step.label},
                             {"registers", integer(step.registers)},
                             {"spill_bytes", integer(step.spill_bytes)},
                             {"shared_bytes", integer(step.shared_bytes)},
                             {"runs", step.runs},
                             {"hot", json_of(step.hot)},
                             {"evicted", json_of(step.evicted)},
                             {"predicted", json_of(step.predicted)}});
  }
  return json;
}

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

std::string report_json(const ReportPage& page) {
  const DeviceReport& device = page.device;
  const ProblemRecord& problem = page.report.problem;
  Json json = {{"problem", problem.name},
               {"signature", problem.signature},
               {"options", problem.options},
               {"title", problem.title},
               {"space", Json()},
               {"spaces", Json::array()},
               {"device", device.device.name},
               {"device_signature", device.device.signature},
               {"measured_by", to_string(device.kind)},
               {"timed", device.num_timed},
               {"steps", device.num_steps},
               {"failed_steps", device.num_failed_steps},
               {"kernels", json_of_kernels(device)},
               {"marks", Json::array()},
               {"effects", Json::array()},
               {"models", Json::array()},
               {"composition", Json()},
               {"best_cost", json_of(device.best_cost)},
               {"traces", Json::array()},
               {"failures", Json::array()},
               {"fastest", Json::array()},
               {"slowest_steps", json_of(device.slowest)},
               {"candidates", Json::array()}};
  for (const SpaceRecord& space : page.report.spaces) json["spaces"].push_back(space.id);
  if (json["spaces"].size() == 1) json["space"] = json["spaces"].front();
  for (const Mark& mark : device.marks) {
    json["marks"].push_back({{"name", mark.name},
                             {"hash", mark.hash.empty() ? Json() : Json(mark.hash)},
                             {"seconds", json_of(mark.seconds)},
                             {"percent_off", json_of(mark.percent_off)}});
  }
  for (const SiteEffect& effect : device.effects) json["effects"].push_back(json_of(effect));
  for (const ModelAccuracy& model : device.models) {
    json["models"].push_back({{"model", model.model},
                              {"compared", model.num_compared},
                              {"rho", json_of(model.rho)},
                              {"median_error", json_of(model.median_error)},
                              {"first_percent_off", json_of(model.first_off)}});
  }
  if (const Composition& composition = device.composition; !composition.pairs.empty()) {
    json["composition"] = {{"compared", composition.pairs.size()},
                           {"median_error", composition.median_error},
                           {"worst_error", composition.worst_error}};
  }
  for (const CostTrace& trace : device.traces) json["traces"].push_back(json_of(trace));
  for (const FailureGroup& group : device.failures) {
    json["failures"].push_back({{"count", group.count},
                                {"status", to_string(group.status)},
                                {"of", to_string(group.kind)},
                                {"reason", group.reason}});
  }
  for (const std::size_t i : device.fastest) json["fastest"].push_back(device.candidates[i].hash);
  for (std::size_t i = 0; i < device.candidates.size(); ++i) {
    Json candidate = json_of(device.candidates[i], device.kind);
    candidate["decisions"] = json_of(device.decisions, device.decisions.schedules[i]);
    json["candidates"].push_back(std::move(candidate));
  }
  if (!page.steps.empty()) {
    json["schedule_steps"] = Json::array();
    for (const ScheduleStep& step : page.steps) json["schedule_steps"].push_back(json_of(step));
  }
  return dumped(json) + "\n";
}

std::string report_csv(const ReportPage& page) {
  std::set<std::string> models;
  for (const Candidate& candidate : page.device.candidates)
    for (const auto& [model, prediction] : candidate.predictions) models.insert(model);
  std::string text = "index,hash,seconds,composed,end_to_end";
  for (const std::string& model : models) text += "," + csv_field(model);
  text += ",bytes,status,reason,schedule\n";
  for (const Candidate& candidate : page.device.candidates) {
    const ScheduleResult* outcome = outcome_of(candidate);
    text += fmt::format("{},{},{},{},{}", candidate.index.value_or(""), candidate.hash,
                        csv_number(measured_seconds(candidate, page.device.kind)),
                        csv_number(seconds_of(candidate.composed)),
                        csv_number(seconds_of(candidate.end_to_end)));
    for (const std::string& model : models) {
      const auto its = candidate.predictions.find(model);
      text +=
          "," + (its == candidate.predictions.end() ? std::string()
                                                    : csv_number(its->second.nonlinear_seconds));
    }
    text +=
        fmt::format(",{},{},{},{}\n", candidate.bytes, outcome ? to_string(outcome->status) : "",
                    csv_field(outcome ? outcome->reason : ""), csv_field(candidate.text));
  }
  return text;
}

}  // namespace thallo::cli
