#include "core/cli/output/exploration_output.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json_fields.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/table.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

std::size_t num_programs(const std::vector<Candidate>& candidates) {
  std::set<std::string> programs;
  for (const Candidate& candidate : candidates)
    if (!candidate.program.empty()) programs.insert(candidate.program);
  return programs.size();
}

bool keeps_pins(const std::string& hash, const std::vector<MarkedSchedule>& marked) {
  const auto its = std::ranges::find(marked, hash, &MarkedSchedule::hash);
  return its == marked.end() || its->keeps_pins;
}

std::string names_of(const std::string& hash, const std::vector<MarkedSchedule>& marked) {
  std::vector<std::string> names;
  for (const MarkedSchedule& mark : marked)
    if (mark.hash == hash) names.push_back(mark.name);
  return marked_text(names, keeps_pins(hash, marked));
}

void print_table(const std::vector<std::pair<double, const Candidate*>>& sorted,
                 const ExplorationOutcome& outcome) {
  const Objective objective = outcome.measurer.objective();
  const bool is_to_cost = objective != Objective::NonlinearIteration;
  std::vector<Table::Column> columns = {left("schedule")};
  if (is_to_cost) columns.push_back({fmt::format("to {} us", to_string(objective))});
  columns.insert(columns.end(), {"composed us", "end to end us"});
  for (const std::string& model : outcome.models) columns.push_back(model + " us");
  columns.push_back(left(""));
  Table table(columns);
  std::size_t shown = 0;
  for (const auto& [seconds, candidate] : sorted) {
    const std::string names = names_of(candidate->hash, outcome.marked);
    if (shown >= NumShown && names.empty()) continue;
    ++shown;
    std::vector<std::string> cells = {candidate->index.value_or(candidate->hash.substr(0, 12))};
    if (is_to_cost) cells.push_back(microseconds_text(seconds));
    cells.push_back(microseconds_text(seconds_of(candidate->composed)));
    cells.push_back(microseconds_text(seconds_of(candidate->end_to_end)));
    for (const std::string& model : outcome.models)
      cells.push_back(microseconds_text(candidate->predicted(model)));
    cells.push_back(names);
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text(2));
}

// Prints how many of the schedules that were solved end to end were compared with the energy.
void print_verified(const std::vector<Candidate>& candidates) {
  std::size_t num_solved = 0;
  std::size_t num_verified = 0;
  double worst = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.end_to_end || !candidate.end_to_end->is_ok()) continue;
    ++num_solved;
    if (!candidate.end_to_end->small_error) continue;
    ++num_verified;
    worst = std::max(worst, *candidate.end_to_end->small_error);
  }
  if (num_verified == 0) return;
  fmt::print(
      "\nof {} run end to end {} were verified on the small instance: largest error {:.1e}\n",
      num_solved, num_verified, worst);
}

}  // namespace

void print_exploration(const ExplorationOutcome& outcome) {
  const Measurer& measurer = outcome.measurer;
  const std::vector<Candidate> candidates = measurer.candidates();
  std::vector<std::pair<double, const Candidate*>> sorted;
  std::map<std::string, int> failures;
  for (const Candidate& candidate : candidates) {
    const auto seconds = measurer.seconds(candidate.hash);
    const ScheduleResult* result = candidate.outcome();
    if (seconds && std::isfinite(*seconds)) {
      sorted.emplace_back(*seconds, &candidate);
    } else if (result != nullptr && !result->is_ok()) {
      ++failures[fmt::format("{}: {}", to_string(result->status), result->reason)];
    }
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<double, const Candidate*>::first);
  fmt::print("{}, {}, on {}\n", measurer.problem().name, measurer.problem().title,
             measurer.device().name);
  fmt::print("{} schedules, {} distinct programs of {} different steps; {} steps measured now\n",
             candidates.size(), num_programs(candidates), measurer.num_steps(),
             measurer.num_measured());
  print_pins(outcome.pins);
  fmt::print("\n");
  print_table(sorted, outcome);
  const auto fastest = std::ranges::find_if(
      sorted, [&](const auto& its) { return keeps_pins(its.second->hash, outcome.marked); });
  if (fastest != sorted.end())
    fmt::print("\nthe fastest:\n{}", indented_schedule(fastest->second->text));
  print_searched(outcome.searched);
  print_verified(candidates);
  for (const auto& [why, count] : failures) fmt::print("\n{} without a time: {}\n", count, why);
  if (const FittingSchedules& fitting = outcome.fitting; fitting.num_refused() > 0) {
    fmt::print("\n{} do not fit and were left out: {}\n", fitting.num_refused(), fitting.why());
  }
  if (!outcome.other_devices.empty()) {
    fmt::print("\nthe store also has results of other devices, which stay apart: {}\n",
               fmt::join(outcome.other_devices, ", "));
  }
}

void print_exploration_json(const ExplorationOutcome& outcome) {
  const Measurer& measurer = outcome.measurer;
  const FittingSchedules& fitting = outcome.fitting;
  const std::vector<Candidate> candidates = measurer.candidates();
  Json json = {{"problem", measurer.problem().name},
               {"signature", measurer.problem().signature},
               {"title", measurer.problem().title},
               {"space", outcome.space},
               {"pins", outcome.pins},
               {"device", measurer.device().name},
               {"objective", to_string(measurer.objective())},
               {"search", searched_json(outcome.searched)},
               {"programs", num_programs(candidates)},
               {"steps", measurer.num_steps()},
               {"measured", measurer.num_measured()},
               {"unfit", fitting.num_refused()},
               {"why_unfit", fitting.why()},
               {"other_devices", outcome.other_devices},
               {"marks", Json::object()},
               {"candidates", Json::array()}};
  for (const MarkedSchedule& mark : outcome.marked) json["marks"][mark.name] = mark.hash;
  for (const Candidate& candidate : candidates) {
    const ScheduleResult* result = candidate.outcome();
    const auto& solved = candidate.end_to_end;
    Json models = Json::object();
    for (const auto& [model, prediction] : candidate.predictions)
      models[model] = plain(prediction.nonlinear_seconds);
    json["candidates"].push_back(
        {{"index", plain(candidate.index)},
         {"hash", candidate.hash},
         {"keeps_pins", keeps_pins(candidate.hash, outcome.marked)},
         {"program", candidate.program.empty() ? Json() : Json(candidate.program)},
         {"seconds", plain(measurer.seconds(candidate.hash))},
         {"composed", plain(seconds_of(candidate.composed))},
         {"end_to_end", plain(seconds_of(candidate.end_to_end))},
         {"verification_error", solved ? plain(solved->verification_error) : Json()},
         {"small_error", solved ? plain(solved->small_error) : Json()},
         {"predicted", models},
         {"status", result ? Json(to_string(result->status)) : Json()},
         {"reason", result ? result->reason : ""},
         {"schedule", candidate.text}});
  }
  print_json(json);
}

}  // namespace thallo::cli
