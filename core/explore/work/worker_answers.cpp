#include "core/explore/work/worker_answers.h"

#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cost/spec_file.h"
#include "core/explore/statistics.h"

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN or infinity; they are written as null.
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

template <class T>
std::optional<T> value_or_nothing(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<T>());
}

std::vector<KernelRecord> kernels_of(const Json& answer) {
  std::vector<KernelRecord> kernels;
  for (const Json& kernel : answer.at("kernels")) {
    kernels.push_back({.key = kernel.at("key"),
                       .compiler = {},
                       .role = kernel.at("role"),
                       .registers = value_or_nothing<std::int64_t>(kernel.at("registers")),
                       .spill_bytes = value_or_nothing<std::int64_t>(kernel.at("spill_bytes")),
                       .shared_bytes = value_or_nothing<std::int64_t>(kernel.at("shared_bytes")),
                       .compile_seconds = value_or_nothing<double>(kernel.at("compile_seconds"))});
  }
  return kernels;
}

}  // namespace

OpenedProblem read_opened(const std::string& json) {
  const Json answer = Json::parse(json);
  const bool is_double = answer.at("precision").get<std::string>() == to_string(Precision::Double);
  return {.device = {.signature = answer.at("device"),
                     .name = answer.at("device_name"),
                     .backend = answer.at("backend")},
          .problem = {.signature = answer.at("problem"),
                      .name = answer.at("name"),
                      .options = answer.at("options"),
                      .title = answer.at("title")},
          .architecture = answer.at("architecture"),
          .spec = parse_device_spec(answer.at("spec").get<std::string>(), "spec").value(),
          .memory = answer.at("memory"),
          .precision = is_double ? Precision::Double : Precision::Float,
          .counts = {.linear_iterations = answer.at("linear_iterations"),
                     .reset_period = answer.at("reset_period")}};
}

PreparedSchedule read_prepared(const std::string& json) {
  const Json answer = Json::parse(json);
  PreparedSchedule prepared{
      .bytes = answer.at("bytes"), .evicted = answer.at("evicted"), .predictions = {}, .steps = {}};
  for (const auto& [model, seconds] : answer.at("predictions").items())
    prepared.predictions.push_back({.device = {},
                                    .model = model,
                                    .nonlinear_seconds = number(seconds.at("nonlinear")),
                                    .linear_seconds = number(seconds.at("linear"))});
  for (const Json& step : answer.at("steps")) {
    prepared.steps.push_back({.key = step.at("key"),
                              .label = step.at("label"),
                              .phase = static_cast<Phase>(step.at("phase").get<int>()),
                              .kernel = step.at("kernel"),
                              .features = step.at("features").dump()});
    for (const auto& [model, seconds] : step.at("predicted").items())
      prepared.steps.back().predicted[model] = number(seconds);
  }
  prepared.kernels = kernels_of(answer);
  return prepared;
}

TimedStep read_timed(const std::string& json) {
  const Json part = Json::parse(json);
  return {.key = part.at("key"),
          .hot = part.at("hot").get<std::vector<double>>(),
          .evicted = part.at("evicted").get<std::vector<double>>(),
          .fault = part.at("fault")};
}

ScheduleResult read_solved(const std::string& json) {
  const Json answer = Json::parse(json);
  ScheduleResult result{.slot = {}, .verification_error = number(answer.at("verification_error"))};
  if (!answer.at("agrees").get<bool>()) {
    result.status = ResultStatus::Mismatch;
    result.reason = fmt::format(
        "cost, gradient, diagonal or JtJp differ by {:.1e} from those of the default schedule",
        *result.verification_error);
    return result;
  }
  result.small_error = value_or_nothing<double>(answer.at("small_error"));
  if (const std::string fault = answer.at("small_fault"); !fault.empty()) {
    result.status = ResultStatus::Mismatch;
    result.reason = "on the small instance it is not what the energy defines: " + fault;
    return result;
  }
  result.samples = answer.at("samples").get<std::vector<double>>();
  result.nonlinear_seconds = median(result.samples);
  result.linear_seconds = answer.at("linear_seconds");
  result.linear_iterations = answer.at("linear_iterations");
  for (const Json& point : answer.at("trace"))
    result.trace.push_back({.seconds = point.at(0), .cost = number(point.at(1))});
  return result;
}

}  // namespace thallo
