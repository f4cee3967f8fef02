#include "core/problem/schedule_times.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

ScheduleTimes schedule_times(std::string name, const ProgramWork& work, const PriceScope& scope) {
  const Prediction predicted = predict(scope.model, work, scope.device, scope.counts);
  ScheduleTimes times{.name = std::move(name),
                      .seconds = predicted.nonlinear_iteration,
                      .steps = step_times(work, scope),
                      .beside = predicted.beside};
  std::ranges::stable_sort(times.steps, std::ranges::greater(),
                           [](const StepTime& step) { return step.runs * step.parts.total(); });
  return times;
}

Json json_of(const ScheduleTimes& times) {
  Json json = {{"schedule", times.name},
               {"seconds", times.seconds},
               {"steps", Json::array()},
               {"beside_steps",
                {{"launches", times.beside.launches},
                 {"loop_turns", times.beside.loop_turns},
                 {"host", times.beside.host}}}};
  for (const StepTime& step : times.steps) {
    Json waits = Json::object();
    for (const Wait wait : AllWaits)
      if (step.parts[wait] > 0) waits[std::string(to_string(wait))] = step.parts[wait];
    json["steps"].push_back({{"step", step.step},
                             {"runs", step.runs},
                             {"seconds", step.parts.total()},
                             {"waits", std::move(waits)},
                             {"remedy", step.remedy}});
  }
  return json;
}

Json json_of(const ExplainedSchedule& explained) {
  Json json = json_of(explained.times);
  json["directives"] = explained.directives;
  json["device"] = explained.device;
  json["model"] = explained.model;
  json["linear_iterations"] = explained.linear_iterations;
  return json;
}

}  // namespace thallo
