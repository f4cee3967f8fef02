#include "core/explore/work/run_answer.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN or infinity; they are written as null.
double number_or_nan(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

IterationRecord record_of(const Json& json) {
  return {.iteration = json.at("iteration"),
          .cost = number_or_nan(json.at("cost")),
          .cost_change = number_or_nan(json.at("cost_change")),
          .gradient_max = number_or_nan(json.at("gradient_max")),
          .step_norm = number_or_nan(json.at("step_norm")),
          .relative_decrease = number_or_nan(json.at("relative_decrease")),
          .radius = number_or_nan(json.at("radius")),
          .linear_iterations = json.at("linear_iterations"),
          .failed_blocks = json.at("failed_blocks"),
          .accepted = json.at("accepted"),
          .seconds = json.at("seconds"),
          .total_seconds = json.at("total_seconds")};
}

RunSolve solve_of(const Json& json) {
  RunSolve solve{.initial_cost = number_or_nan(json.at("initial_cost")),
                 .final_cost = number_or_nan(json.at("final_cost")),
                 .num_accepted = json.at("accepted"),
                 .num_rejected = json.at("rejected"),
                 .num_linear_iterations = json.at("linear_iterations"),
                 .termination = json.at("termination"),
                 .converged = json.at("converged"),
                 .why = json.at("why"),
                 .seconds = json.at("seconds"),
                 .iterations = {}};
  for (const Json& record : json.at("records")) solve.iterations.push_back(record_of(record));
  return solve;
}

SolverSeconds seconds_of(const Json& json) {
  return {.linearize = json.at("linearize"),
          .linear = json.at("linear"),
          .cost = json.at("cost"),
          .update = json.at("update"),
          .total = json.at("solve")};
}

WrittenFile file_of(const Json& json) {
  return {.kind = parse_written_kind(json.at("kind").get<std::string>()).value(),
          .path = json.at("path").get<std::string>(),
          .caption = json.at("caption")};
}

}  // namespace

RunIteration read_run_iteration(const std::string& json) {
  const Json part = Json::parse(json);
  return {.solve = part.at("solve"), .record = record_of(part)};
}

RunAnswer read_run(const std::string& json) {
  const Json answer = Json::parse(json);
  const bool is_double = answer.at("precision").get<std::string>() == to_string(Precision::Double);
  RunAnswer run{.problem = answer.at("problem"),
                .instance = answer.at("instance"),
                .labels = {},
                .schedule = answer.at("schedule"),
                .backend = answer.at("backend"),
                .device = answer.at("device"),
                .precision = is_double ? Precision::Double : Precision::Float,
                .num_unknowns = answer.at("unknowns"),
                .num_residuals = answer.at("residuals"),
                .initial_cost = number_or_nan(answer.at("initial_cost")),
                .final_cost = number_or_nan(answer.at("final_cost")),
                .compile_seconds = answer.at("seconds").at("compile"),
                .total_seconds = answer.at("seconds").at("total"),
                .seconds = seconds_of(answer.at("seconds")),
                .solves = {},
                .metrics = {},
                .files = {},
                .warnings = answer.at("warnings"),
                .shortfall = answer.at("shortfall"),
                .cancelled = answer.at("cancelled")};
  for (const auto& [name, value] : answer.at("labels").items())
    run.labels.emplace_back(name, value.get<std::string>());
  for (const Json& solve : answer.at("solves")) run.solves.push_back(solve_of(solve));
  for (const Json& metric : answer.at("metrics"))
    run.metrics.push_back(
        {metric.at("name"), number_or_nan(metric.at("value")), metric.at("unit")});
  for (const Json& file : answer.at("files")) run.files.push_back(file_of(file));
  return run;
}

}  // namespace thallo
