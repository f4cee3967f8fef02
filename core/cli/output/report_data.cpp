// Writes the report as JSON and CSV (report_output.h).
#include <vector>

#include "core/base/json_fields.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/report_output.h"
#include "core/explore/report/candidates_csv.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

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
                       {"median", plain(effect.medians[k])},
                       {"schedules", effect.num_made[k]}});
  }
  return {{"site", effect.site},           {"together", effect.together},
          {"explained", effect.explained}, {"alone", effect.alone},
          {"chance", effect.chance},       {"significant", effect.is_significant()},
          {"timed", effect.num_timed},     {"compared", effect.num_compared},
          {"choices", std::move(choices)}};
}

Json json_of(const Candidate& candidate, ResultKind kind) {
  const ScheduleResult* outcome = candidate.outcome();
  Json models = Json::object();
  for (const auto& [model, prediction] : candidate.predictions)
    models[model] = plain(prediction.nonlinear_seconds);
  return {{"index", plain(candidate.index)},
          {"hash", candidate.hash},
          {"seconds", plain(measured_seconds(candidate, kind))},
          {"composed", plain(seconds_of(candidate.composed))},
          {"end_to_end", plain(seconds_of(candidate.end_to_end))},
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
          {"to_one_percent", plain(trace.to_one_percent)},
          {"to_one_permille", plain(trace.to_one_permille)},
          {"points", std::move(points)}};
}

Json json_of(const ScheduleStep& step) {
  return {{"change", step.change},           {"hash", step.hash},
          {"seconds", plain(step.measured)}, {"estimated", plain(step.predicted)},
          {"factor", plain(step.factor)},    {"factor_is_measured", step.is_factor_measured}};
}

Json json_of_kernels(const DeviceReport& device) {
  return {{"compiled", device.num_kernels},
          {"seconds", plain(device.compile_seconds)},
          {"most_registers", plain(device.most_registers)},
          {"spilling", device.num_spilling}};
}

// The hash of a schedule, if there is one.
Json hash_json(const std::string& hash) { return hash.empty() ? Json() : Json(hash); }

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
               {"models", plain(device.models)},
               {"composition", Json()},
               {"best_cost", plain(device.best_cost)},
               {"traces", Json::array()},
               {"failures", Json::array()},
               {"fastest", Json::array()},
               {"slowest_steps",
                {{"hash", hash_json(device.slowest.hash)},
                 {"others", device.slowest.num_others},
                 {"steps", plain(device.slowest.steps)}}},
               {"candidates", Json::array()}};
  for (const SpaceRecord& space : page.report.spaces) json["spaces"].push_back(space.id);
  if (json["spaces"].size() == 1) json["space"] = json["spaces"].front();
  for (const Mark& mark : device.marks) {
    json["marks"].push_back({{"name", mark.name},
                             {"hash", hash_json(mark.hash)},
                             {"seconds", plain(mark.seconds)},
                             {"percent_off", plain(mark.percent_off)}});
  }
  for (const SiteEffect& effect : device.effects) json["effects"].push_back(json_of(effect));
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
  std::vector<const Candidate*> candidates;
  for (const Candidate& candidate : page.device.candidates) candidates.push_back(&candidate);
  return candidates_csv(candidates, page.device.kind);
}

}  // namespace thallo::cli
