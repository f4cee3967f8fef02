#include "core/cli/moves_output.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string percent_text(double seconds, double before) {
  return std::isfinite(before) ? fmt::format("{:+.1f} %", 100 * (seconds / before - 1)) : "";
}

// "once +140 µs, linear -12 µs"; what does not change is left out.
std::string split_text(const PlanCost& now, const PlanCost& before) {
  if (!std::isfinite(before.seconds)) return "";
  const double least = SmallestGain * before.seconds;
  std::string text;
  const auto add = [&](const char* what, double change) {
    if (std::abs(change) < least) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}{}", what, change < 0 ? "-" : "+", time_text(std::abs(change)));
  };
  add("once", now.once() - before.once());
  add("linear", now.linear - before.linear);
  return text;
}

std::vector<const WeighedAlternative*> shown_moves(const WeighedChoices& weighed) {
  std::vector<const WeighedAlternative*> moves = next_moves(weighed);
  if (moves.size() > MostShownMoves) moves.resize(MostShownMoves);
  return moves;
}

// A line for each step, with what it changes.
std::string steps_text(PlanCost before, const std::vector<GuidedStep>& steps) {
  std::string text;
  for (const GuidedStep& step : steps) {
    text +=
        fmt::format("  {:>9} {:>12}  {:<36}  {}\n", percent_text(step.cost.seconds, before.seconds),
                    time_text(step.cost.seconds), split_text(step.cost, before), step.text);
    before = step.cost;
  }
  return text;
}

Json steps_json(const std::vector<GuidedStep>& steps, const ConstructRegistry& constructs) {
  Json json = Json::array();
  for (const GuidedStep& step : steps) {
    json.push_back({{"text", step.text},
                    {"seconds", step.cost.seconds},
                    {"once", step.cost.once()},
                    {"linear", step.cost.linear},
                    {"schedule", step.schedule.text(constructs)}});
  }
  return json;
}

}  // namespace

std::string moves_text(const ShownChoices& choices, const std::vector<GuidedStep>& together,
                       const ConstructRegistry& constructs) {
  const WeighedChoices& weighed = *choices.weighed;
  std::string text =
      fmt::format("\npredicted for {}: {} in {}\n", choices.device,
                  time_text(weighed.chosen.seconds), iteration_text(choices.linear_iterations));
  const std::vector<const WeighedAlternative*> moves = shown_moves(weighed);
  text += moves.empty() ? "no single decision is predicted to be faster\n" : "next best moves\n";
  for (const WeighedAlternative* its : moves) {
    text += fmt::format(
        "  {:>9} {:>12}  {:<36}  {}{}\n", percent_text(its->cost->seconds, weighed.chosen.seconds),
        time_text(its->cost->seconds), split_text(*its->cost, weighed.chosen),
        text_of(its->directives, constructs), its->changes_numerics ? "  (changes numerics)" : "");
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
                       {"seconds", seconds_json(weighed.chosen.seconds)}};
  json["moves"] = Json::array();
  for (const WeighedAlternative* its : next_moves(weighed)) {
    json["moves"].push_back({{"text", text_of(its->directives, constructs)},
                             {"seconds", its->cost->seconds},
                             {"once", its->cost->once()},
                             {"linear", its->cost->linear},
                             {"bytes", its->cost->bytes},
                             {"schedule", its->schedule.text(constructs)},
                             {"changes_numerics", its->changes_numerics}});
  }
  json["together"] = steps_json(together, constructs);
}

std::string guide_text(const PlanCost& start, const std::vector<GuidedStep>& steps,
                       const ConstructRegistry& constructs) {
  std::string text = fmt::format("\n  {:>9} {:>12}  as it is\n", "", time_text(start.seconds));
  if (steps.empty()) return text + "nothing is predicted to be faster, no two decisions either\n";
  return text + steps_text(start, steps) + "after this nothing helps; the schedule is then\n" +
         steps.back().schedule.text(constructs) + "\n";
}

void add_guide(Json& json, const PlanCost& start, const std::vector<GuidedStep>& steps,
               const ConstructRegistry& constructs) {
  json["start"] = {{"seconds", seconds_json(start.seconds)}};
  json["steps"] = steps_json(steps, constructs);
}

}  // namespace thallo::cli
