#include "core/cli/bench/steps.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/solve/iteration_profile.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ProfiledProblem {
  std::string name;
  std::string title;  // the instance's title
  Precision precision = Precision::Float;
  IterationProfile profile;

  double loop_ratio() const {
    return profile.loop_seconds() / profile.linear_iteration_seconds(CacheUse::Hot);
  }
};

ProfiledProblem profile(Backend& backend, const Problem& problem, const RunRequest& request) {
  const auto [run, options] = require(prepare_problem(problem, request, backend));
  return {.name = problem.info().name,
          .title = run.instance.title,
          .precision = run.solution.precision,
          .profile = require(profile_iteration(*run.executable, options))};
}

std::string microseconds(double seconds) {
  return std::isnan(seconds) ? "-" : fmt::format("{:.2f}", 1e6 * seconds);
}
std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-";
}

std::string size_text(const StepInfo& step) {
  if (step.matrix) {
    const MatrixShape& shape = step.matrix->shape;
    return fmt::format("{}, {} x {}, {} entries", to_string(step.matrix->kind), shape.rows,
                       shape.cols, shape.entries);
  }
  if (step.kind == StepKind::Clear) return bytes_text(static_cast<double>(step.bytes));
  return fmt::format("{} points", step.points);
}

std::string state_text(const StepTiming& timing) {
  return timing.step.is_launched ? timing.fault : "not launched";
}

void print_text(const ProfiledProblem& problem) {
  Table table({{"phase", Table::Align::Left},
               {"step", Table::Align::Left},
               {"of", Table::Align::Left},
               {"hot us"},
               {"evicted us"},
               {"", Table::Align::Left}});
  for (const StepTiming& timing : problem.profile.steps) {
    table.add({std::string(to_string(timing.step.phase)), timing.step.label, size_text(timing.step),
               microseconds(median(timing.hot)), microseconds(median(timing.evicted)),
               state_text(timing)});
  }
  fmt::print("{}, {}, {}\n{}", problem.name, problem.title, to_string(problem.precision),
             table.text(2));
  const IterationProfile& profile = problem.profile;
  if (!profile.loop) return;
  fmt::print(
      "  a linear iteration: {} us as the sum of its steps ({} evicted), {} us in the loop of {}, "
      "ratio {}\n",
      microseconds(profile.linear_iteration_seconds(CacheUse::Hot)),
      microseconds(profile.linear_iteration_seconds(CacheUse::Evicted)),
      microseconds(profile.loop_seconds()), profile.loop->num_iterations,
      ratio_text(problem.loop_ratio()));
}

void print_summary(const std::vector<ProfiledProblem>& problems) {
  Table table({{"problem", Table::Align::Left},
               {"instance", Table::Align::Left},
               {"steps"},
               {"hot us"},
               {"evicted us"},
               {"loop us"},
               {"loop / hot"}});
  for (const ProfiledProblem& problem : problems) {
    const IterationProfile& profile = problem.profile;
    table.add({problem.name, problem.title, std::to_string(profile.steps.size()),
               microseconds(profile.linear_iteration_seconds(CacheUse::Hot)),
               microseconds(profile.linear_iteration_seconds(CacheUse::Evicted)),
               microseconds(profile.loop_seconds()), ratio_text(problem.loop_ratio())});
  }
  fmt::print("\na linear iteration of each\n{}", table.text(2));
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json samples_json(const std::vector<double>& seconds) {
  Json samples = Json::array();
  for (const double s : seconds) samples.push_back(1e6 * s);
  return samples;
}

Json step_json(const StepTiming& timing) {
  const StepInfo& step = timing.step;
  Json json = {{"phase", to_string(step.phase)},
               {"kind", to_string(step.kind)},
               {"step", step.label},
               {"key", step.key},
               {"launched", step.is_launched},
               {"points", step.points},
               {"bytes", step.bytes}};
  if (step.matrix) {
    json["matrix"] = {{"format", to_string(step.matrix->kind)},
                      {"transposed", step.matrix->is_transposed},
                      {"rows", step.matrix->shape.rows},
                      {"columns", step.matrix->shape.cols},
                      {"entries", step.matrix->shape.entries}};
  }
  json["hot_us"] = number(1e6 * median(timing.hot));
  json["evicted_us"] = number(1e6 * median(timing.evicted));
  json["hot_samples_us"] = samples_json(timing.hot);
  json["evicted_samples_us"] = samples_json(timing.evicted);
  json["fault"] = timing.fault;
  return json;
}

Json problem_json(const ProfiledProblem& problem) {
  const IterationProfile& profile = problem.profile;
  Json json = {{"problem", problem.name},
               {"instance", problem.title},
               {"precision", to_string(problem.precision)},
               {"reset_period", profile.reset_period},
               {"steps", Json::array()}};
  for (const StepTiming& timing : profile.steps) json["steps"].push_back(step_json(timing));
  json["linear_iteration"] = {
      {"hot_us", number(1e6 * profile.linear_iteration_seconds(CacheUse::Hot))},
      {"evicted_us", number(1e6 * profile.linear_iteration_seconds(CacheUse::Evicted))},
      {"loop_us", number(1e6 * profile.loop_seconds())},
      {"loop_iterations", profile.loop ? profile.loop->num_iterations : 0},
      {"loop_samples_us",
       samples_json(profile.loop ? profile.loop->seconds : std::vector<double>{})},
      {"loop_over_hot", number(problem.loop_ratio())}};
  return json;
}

}  // namespace

void bench_steps(Session& session, std::span<const Problem* const> problems,
                 const RunRequest& request, bool json) {
  const auto backend = session.backend(request.backend, request.device);
  std::vector<ProfiledProblem> profiled;
  for (const Problem* problem : problems) {
    profiled.push_back(profile(*backend, *problem, request));
    if (json) continue;
    if (profiled.size() > 1) fmt::print("\n");
    print_text(profiled.back());
    std::fflush(stdout);
  }
  if (json) {
    Json all = {{"backend", backend->name()}, {"problems", Json::array()}};
    for (const ProfiledProblem& problem : profiled)
      all["problems"].push_back(problem_json(problem));
    print_json(all);
  } else if (profiled.size() > 1) {
    print_summary(profiled);
  }
}

}  // namespace thallo::cli
