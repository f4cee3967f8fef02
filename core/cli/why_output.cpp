#include "core/cli/why_output.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/quantity_text.h"
#include "core/cli/choices_output.h"
#include "core/cli/json_text.h"
#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of the steps that a cause comes from, so many are named; and of the steps of a schedule.
constexpr std::size_t MostNamedSteps = 3;
constexpr std::size_t MostListedSteps = 10;
// Smaller shares of a step's time, and smaller changes against the whole, are not printed.
constexpr double LeastShare = 0.005;
constexpr double LeastChange = 5e-4;

std::string seconds_text(double seconds) { return quantity_text(seconds, "s"); }
std::string signed_text(double seconds) {
  return fmt::format("{}{}", seconds < 0 ? "-" : "+", seconds_text(std::abs(seconds)));
}

std::string cause_text(const CauseOfChange& cause) {
  std::string text = cause.sentence;
  std::string more;
  const std::size_t named = std::min(cause.steps.size(), MostNamedSteps);
  for (std::size_t i = 0; i < named; ++i) {
    const StepChange& step = cause.steps[i];
    // The sentence names its step.
    if (step.step.empty() || text.starts_with(step.step + " ")) continue;
    more += fmt::format("{}{} {}", more.empty() ? "" : ", ", step.step, signed_text(step.seconds));
  }
  if (more.empty()) return text;
  return fmt::format("{}{}{}", text, text.empty() ? "" : "; ", more);
}

std::string change_table(const ShownWhy& why) {
  Table table({{"", Table::Align::Left}, {"time"}, {"change"}, {"", Table::Align::Left}});
  const double from = why.change.from;
  table.add({why.from.name, seconds_text(from), "", ""});
  for (const CauseOfChange& cause : why.change.causes) {
    if (std::abs(cause.seconds) < LeastChange * from) continue;
    table.add({fmt::format("  {}", to_string(cause.cause)), signed_text(cause.seconds),
               fmt::format("{:+.1f} %", 100 * cause.seconds / from), cause_text(cause)});
  }
  table.add({why.to.name, seconds_text(why.change.to),
             fmt::format("{:+.1f} %", 100 * (why.change.to / from - 1)), ""});
  return table.text(2);
}

double seconds_of(const StepTime& step) { return step.runs * step.parts.total(); }

// "memory 62 %, launch 30 %"
std::string waits_text(const TimeParts& parts) {
  std::vector<std::pair<double, Wait>> shares;
  const double total = parts.total();
  for (const Wait wait : AllWaits)
    if (parts[wait] > LeastShare * total) shares.emplace_back(parts[wait] / total, wait);
  std::ranges::stable_sort(shares, std::ranges::greater(), &std::pair<double, Wait>::first);
  std::string text;
  for (const auto& [share, wait] : shares)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", to_string(wait), 100 * share);
  return text;
}

std::string steps_text(const ScheduleTimes& schedule) {
  Table table({{"step", Table::Align::Left},
               {"time"},
               {"waits for", Table::Align::Left},
               {"what would help", Table::Align::Left}});
  const std::size_t listed = std::min(schedule.steps.size(), MostListedSteps);
  for (std::size_t i = 0; i < listed; ++i) {
    const StepTime& step = schedule.steps[i];
    table.add({step.step, seconds_text(seconds_of(step)), waits_text(step.parts), step.remedy});
  }
  std::string text =
      fmt::format("\nwhat the steps of {} wait for\n{}", schedule.name, table.text(2));
  if (listed < schedule.steps.size())
    text += fmt::format("  and {} shorter steps\n", schedule.steps.size() - listed);
  return text + fmt::format("beside the steps: launches {}, loop turns {}, host {}\n",
                            seconds_text(schedule.beside.launches),
                            seconds_text(schedule.beside.loop_turns),
                            seconds_text(schedule.beside.host));
}

std::string why_text(const ShownWhy& why) {
  return fmt::format("predicted for {} by the model {}: {}\n\n{}{}", why.device, why.model,
                     iteration_text(why.linear_iterations), change_table(why), steps_text(why.to));
}

void add_why(Json& json, const ShownWhy& why) {
  json["predicted"] = {
      {"device", why.device}, {"model", why.model}, {"linear_iterations", why.linear_iterations}};
  json["from"] = json_of(why.from);
  json["to"] = json_of(why.to);
  json["causes"] = Json::array();
  for (const CauseOfChange& cause : why.change.causes) {
    Json steps = Json::array();
    for (const StepChange& step : cause.steps)
      steps.push_back(
          {{"step", step.step}, {"seconds", step.seconds}, {"sentence", step.sentence}});
    json["causes"].push_back({{"cause", to_string(cause.cause)},
                              {"seconds", cause.seconds},
                              {"sentence", cause.sentence},
                              {"steps", std::move(steps)}});
  }
}

}  // namespace

void print_why(const ShownWhy& why, const std::string& problem, const std::string& title,
               bool as_json) {
  if (!as_json) return fmt::print("{}\n{}", title, why_text(why));
  Json json = {{"problem", problem}};
  add_why(json, why);
  print_json(json);
}

}  // namespace thallo::cli
