#include "core/cli/output/steps_output.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/output/json_text.h"
#include "core/cli/require.h"
#include "core/explore/learn/stored_training_set.h"
#include "core/kernel/frequency.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct JudgedModel {
  const CostModel* model = nullptr;
  std::optional<std::size_t> problem = {};  // the only one that it predicts
};

std::size_t problem_number(const TrainingSet& set, const std::string& name) {
  const auto found = std::ranges::find(set.problems, name);
  if (found != set.problems.end()) return static_cast<std::size_t>(found - set.problems.begin());
  throw UserError(unknown_name("nothing was measured of a problem", name, set.problems));
}

JudgedModel judged_model(Session& session, const TrainingSet& set, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const bool is_of_one = equals != text.npos;
  JudgedModel judged{.model =
                         require(session.cost_model(is_of_one ? text.substr(equals + 1) : text))};
  if (is_of_one) judged.problem = problem_number(set, text.substr(0, equals));
  return judged;
}

template <class All>
Json names_of(const All& all) {
  Json names = Json::array();
  for (const auto& one : all) names.push_back(to_string(one));
  return names;
}

double predicted_seconds(const CostModel& model, const TrainingSet& set,
                         const MeasuredSchedule& schedule) {
  IterationTime time(set.device);
  for (const MeasuredUse& use : schedule.uses) {
    const MeasuredStep& step = set.steps[use.step];
    ProgramWork program = step.program;
    program.loop_bytes = schedule.loop_bytes;
    const double seconds = model.seconds(step.work, program, set.device);
    if (frequency_of(step.work.phase) == Frequency::NonlinearIteration) {
      for (int run = 0; run < std::lround(use.runs); ++run) time.add_once(seconds);
    } else {
      time.add_linear(seconds, use.runs);
    }
  }
  return time.nonlinear_iteration(schedule.linear_iterations);
}

// What was measured.
Json measured_json(const TrainingSet& set) {
  Json json = {{"device", set.device.name}, {"problems", set.problems}};
  for (const MeasuredStep& step : set.steps) {
    json["steps"]["problem"].push_back(step.problem);
    json["steps"]["seconds"].push_back(step.seconds);
  }
  json["schedules"] = {
      {"problem", Json::array()}, {"instance", Json::array()}, {"seconds", Json::array()}};
  for (const MeasuredSchedule& schedule : set.schedules) {
    json["schedules"]["problem"].push_back(set.instances[schedule.instance].problem);
    json["schedules"]["instance"].push_back(schedule.instance);
    json["schedules"]["seconds"].push_back(schedule.seconds);
  }
  return json;
}

Json predictions_json(const TrainingSet& set, const JudgedModel& judged) {
  const auto is_judged = [&](std::size_t problem) {
    return judged.problem.value_or(problem) == problem;
  };
  Json json = {{"steps", Json::array()}, {"schedules", Json::array()}};
  for (const MeasuredStep& step : set.steps)
    if (is_judged(step.problem))
      json["steps"].push_back(judged.model->seconds(step.work, step.program, set.device));
  for (const MeasuredSchedule& schedule : set.schedules)
    if (is_judged(set.instances[schedule.instance].problem))
      json["schedules"].push_back(predicted_seconds(*judged.model, set, schedule));
  return json;
}

void add_inputs(Session& session, const TrainingSet& set, Json& json) {
  json["unfitted"] = Json::array();
  for (const auto* entry : session.cost_models().entries())
    if (!entry->item->is_fitted()) json["unfitted"].push_back(entry->name);
  json["terms"] = names_of(AllTerms);
  json["families"] = names_of(AllFamilies);
  json["properties"] = property_names();
  for (const MeasuredStep& step : set.steps) {
    const StepInputs inputs = inputs_of(step.work, step.program, set.device);
    Json terms = Json::array();
    for (const Term term : AllTerms) terms.push_back(inputs.terms[term]);
    json["steps"]["family"].push_back(family_of(step.work));
    json["steps"]["terms"].push_back(std::move(terms));
    json["steps"]["properties"].push_back(inputs.properties);
  }
}

}  // namespace

void print_steps(Session& session, std::span<const std::filesystem::path> stores,
                 const std::string& device, std::span<const std::string> models) {
  LeftOutRecords left_out;
  const TrainingSet set = require(read_training_set(stores, device, left_out));
  Json json = measured_json(set);
  json["left_out"] = {{"steps", left_out.steps}, {"schedules", left_out.schedules}};
  if (models.empty()) add_inputs(session, set, json);
  for (const std::string& model : models)
    json["predictions"][model] = predictions_json(set, judged_model(session, set, model));
  print_json_text(dumped(json, -1) + "\n");
}

}  // namespace thallo::cli
