// thallo explain next PROBLEM: the single decisions that are predicted to save most, or with
// --follow the way on which they lead.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/json_fields.h"
#include "core/cli/commands/explain.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/require.h"
#include "core/explore/space/guide.h"
#include "core/kernel/instance_storage.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

std::string change_text(double seconds, double before) {
  return std::isfinite(before) ? percent_text(100 * (seconds / before - 1)) : "";
}

// "once +140 µs, linear -12 µs"; what does not change is left out.
std::string split_text(const PlanCost& now, const PlanCost& before) {
  if (!std::isfinite(before.seconds)) return "";
  const double least = SmallestGain * before.seconds;
  std::string text;
  const auto add = [&](const char* what, double change) {
    if (std::abs(change) < least) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", what, signed_time_text(change));
  };
  add("once", now.once() - before.once());
  add("linear", now.linear - before.linear);
  return text;
}

// A move with what it changes.
std::string line_text(const PlanCost& now, const PlanCost& before, const std::string& move) {
  return fmt::format("  {:>9} {:>12}  {:<36}  {}\n", change_text(now.seconds, before.seconds),
                     time_text(now.seconds), split_text(now, before), move);
}

std::string steps_text(PlanCost before, const std::vector<GuidedStep>& steps) {
  std::string text;
  for (const GuidedStep& step : steps) {
    text += line_text(step.cost, before, step.text);
    before = step.cost;
  }
  return text;
}

Json steps_json(const std::vector<GuidedStep>& steps, const ConstructRegistry& constructs) {
  Json json = Json::array();
  for (const GuidedStep& step : steps) {
    json.push_back(cost_json(step.text, step.cost));
    json.back()["schedule"] = step.schedule.text(constructs);
  }
  return json;
}

// `together`: two decisions that help only together, or none.
std::string moves_text(const ShownChoices& choices, const std::vector<GuidedStep>& together,
                       const ConstructRegistry& constructs) {
  const WeighedChoices& weighed = *choices.weighed;
  std::string text = predicted_text(choices);
  std::vector<const WeighedAlternative*> moves = next_moves(weighed);
  if (moves.size() > MostShownMoves) moves.resize(MostShownMoves);
  text += moves.empty() ? "no single decision is predicted to be faster\n" : "next best moves\n";
  for (const WeighedAlternative* its : moves) {
    text += line_text(*its->cost, weighed.chosen,
                      text_of(its->directives, constructs) +
                          (its->changes_numerics ? "  (changes numerics)" : ""));
  }
  if (!together.empty())
    text += "these are faster together\n" + steps_text(weighed.chosen, together);
  return text + left_out_text(weighed);
}

void add_moves(Json& json, const ShownChoices& choices, const std::vector<GuidedStep>& together,
               const ConstructRegistry& constructs) {
  const WeighedChoices& weighed = *choices.weighed;
  json["predicted"] = {{"device", choices.device},
                       {"linear_iterations", choices.linear_iterations},
                       {"seconds", plain(weighed.chosen.seconds)}};
  json["moves"] = Json::array();
  for (const WeighedAlternative* its : next_moves(weighed))
    json["moves"].push_back(move_json(*its, constructs));
  json["together"] = steps_json(together, constructs);
}

std::string guide_text(const PlanCost& start, const std::vector<GuidedStep>& steps,
                       const ConstructRegistry& constructs) {
  std::string text = fmt::format("\n  {:>9} {:>12}  as it is\n", "", time_text(start.seconds));
  if (steps.empty()) return text + "nothing is predicted to be faster, no two decisions either\n";
  return text + steps_text(start, steps) + "after this nothing helps; the schedule is then\n" +
         steps.back().schedule.text(constructs) + "\n";
}

// Returns the whole way from the schedule, or only its next steps.
std::vector<GuidedStep> guided(const ExplainedInstance& instance, const Schedule& schedule,
                               const DeviceSpec& device, bool is_whole) {
  const AutoTarget& target = instance.target();
  const InstanceStorage limit(instance.energy(), instance.binding(), target.program,
                              target.program.precision, target.memory_limit);
  PlanPricer pricer = plan_pricer(instance.energy(), target, device);
  return require((is_whole ? guide : next_steps)(
      instance.energy(), schedule, instance.constructs(), price_by(pricer),
      {.precision = target.program.precision, .limit = &limit}, std::stop_token{}));
}

void explain_next(Session& session, const ExplainFlags& flags, bool follows) {
  const ExplainedInstance instance(session, flags, {flags.run.schedule});
  const ConstructRegistry& constructs = instance.constructs();
  const Schedule schedule = instance.schedule(flags.run.schedule);
  const DeviceSpec device = instance.device();
  const ShownChoices choices = require(instance.choices(schedule, device));
  const PlanCost& start = choices.weighed->chosen;
  std::vector<GuidedStep> steps = guided(instance, schedule, device, follows);
  if (!follows && steps.size() == 1) steps.clear();  // it is the first of the moves
  if (flags.json) {
    Json json = instance.json(schedule);
    if (follows) {
      json["start"] = {{"seconds", plain(start.seconds)}};
      json["steps"] = steps_json(steps, constructs);
    } else {
      add_moves(json, choices, steps, constructs);
    }
    return print_json(json);
  }
  instance.print_title(schedule);
  fmt::print("{}", follows ? guide_text(start, steps, constructs)
                           : moves_text(choices, steps, constructs));
}

}  // namespace

Command add_explain_next(CLI::App& explain, Session& session, ExplainFlags& flags) {
  CLI::App* command = add_explain_subcommand(
      explain, flags, "next", "the five single decisions that are predicted to save most");
  auto follows = std::make_shared<bool>(false);
  command->add_flag("--follow", *follows,
                    "take the best of them, one after the other, until nothing helps;\n"
                    "where none of them does, two that do together");
  return {command, [&session, &flags, follows] {
            explain_next(session, flags, *follows);
            return ExitCode::Ok;
          }};
}

}  // namespace thallo::cli
