// thallo explain why PROBLEM FROM TO: why one schedule is predicted to be faster than another.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/cli/commands/explain.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/cost/pricing/time_change.h"
#include "core/problem/schedule_times.h"

namespace thallo::cli {
namespace {

using json_fields::Json;

struct ShownWhy {
  ScheduleTimes from, to;
  TimeChangeCauses change;
  std::string device;            // the device's name
  std::string model;             // the cost model's
  double linear_iterations = 0;  // that predictions assume
};

// Of the steps that a cause comes from, so many are named; and of the steps of a schedule.
constexpr std::size_t MostNamedSteps = 3;
constexpr std::size_t MostListedSteps = 10;
// Smaller shares of a step's time, and smaller changes against the whole, are not printed.
constexpr double LeastShare = 0.005;
constexpr double LeastChange = 5e-4;

std::string cause_text(const CauseOfChange& cause) {
  std::string text = cause.sentence;
  std::string more;
  const std::size_t named = std::min(cause.steps.size(), MostNamedSteps);
  for (std::size_t i = 0; i < named; ++i) {
    const StepChange& step = cause.steps[i];
    // The sentence names its step.
    if (step.step.empty() || text.starts_with(step.step + " ")) continue;
    more +=
        fmt::format("{}{} {}", more.empty() ? "" : ", ", step.step, signed_time_text(step.seconds));
  }
  if (more.empty()) return text;
  return fmt::format("{}{}{}", text, text.empty() ? "" : "; ", more);
}

std::string change_table(const ShownWhy& why) {
  Table table({left(""), "time", "change", left("")});
  const double from = why.change.from;
  table.add({why.from.name, time_text(from), "", ""});
  for (const CauseOfChange& cause : why.change.causes) {
    if (std::abs(cause.seconds) < LeastChange * from) continue;
    table.add({fmt::format("  {}", to_string(cause.cause)), signed_time_text(cause.seconds),
               percent_text(100 * cause.seconds / from), cause_text(cause)});
  }
  table.add(
      {why.to.name, time_text(why.change.to), percent_text(100 * (why.change.to / from - 1)), ""});
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
  Table table({left("step"), "time", left("waits for"), left("what would help")});
  const std::size_t listed = std::min(schedule.steps.size(), MostListedSteps);
  for (std::size_t i = 0; i < listed; ++i) {
    const StepTime& step = schedule.steps[i];
    table.add({step.step, time_text(seconds_of(step)), waits_text(step.parts), step.remedy});
  }
  std::string text =
      fmt::format("\nwhat the steps of {} wait for\n{}", schedule.name, table.text(2));
  if (listed < schedule.steps.size())
    text += fmt::format("  and {} shorter steps\n", schedule.steps.size() - listed);
  return text + fmt::format("beside the steps: launches {}, loop turns {}, host {}\n",
                            time_text(schedule.beside.launches),
                            time_text(schedule.beside.loop_turns), time_text(schedule.beside.host));
}

std::string why_text(const ShownWhy& why) {
  return fmt::format("predicted for {} by the model {}: {}\n\n{}{}", why.device, why.model,
                     iteration_text(why.linear_iterations), change_table(why), steps_text(why.to));
}

// Both schedules are lowered, so that the amounts are those that `explain` shows of each.
ShownWhy why_of(const ExplainedInstance& instance, const std::string& from, const std::string& to) {
  const DeviceSpec device = instance.device();
  const AutoTarget& target = instance.target();
  const PriceOptions prices = target.prices();
  const PriceScope scope{.model = *prices.model, .device = device, .counts = prices.counts};
  const auto work_of_schedule = [&](const std::string& name) {
    return price_plan(instance.energy(), instance.plan(instance.schedule(name)), target.binding,
                      prices, device)
        .work;
  };
  const ProgramWork work_from = work_of_schedule(from);
  const ProgramWork work_to = work_of_schedule(to);
  return {.from = schedule_times(from, work_from, scope),
          .to = schedule_times(to, work_to, scope),
          .change = require(explain_change(work_from, work_to, scope)),
          .device = device.name,
          .model = std::string(scope.model.name()),
          .linear_iterations = scope.counts.linear_iterations};
}

void explain_why(Session& session, const ExplainFlags& flags, const std::string& from,
                 const std::string& to) {
  if (!flags.run.schedule.empty())
    throw UserError("--schedule has no effect on thallo explain why: it takes two, FROM and TO");
  const ExplainedInstance instance(session, flags, {from, to});
  const ShownWhy why = why_of(instance, from, to);
  if (!flags.json) return fmt::print("{}\n{}", instance.title(), why_text(why));
  print_json(Json{{"problem", flags.run.problem.name},
                  {"predicted",
                   {{"device", why.device},
                    {"model", why.model},
                    {"linear_iterations", why.linear_iterations}}},
                  {"from", json_of(why.from)},
                  {"to", json_of(why.to)},
                  {"causes", json_fields::plain(why.change.causes)}});
}

}  // namespace

Command add_explain_why(CLI::App& explain, Session& session, ExplainFlags& flags) {
  CLI::App* command = add_explain_subcommand(
      explain, flags, "why",
      "why the second of two schedules is predicted to be faster or slower than the\n"
      "first, split by cause");
  struct Schedules {
    std::string from, to;
  };
  auto schedules = std::make_shared<Schedules>();
  command->add_option("FROM", schedules->from, "the first schedule, as --schedule takes it")
      ->required();
  command->add_option("TO", schedules->to, "the second one")->required();
  return {command, [&session, &flags, schedules] {
            explain_why(session, flags, schedules->from, schedules->to);
            return ExitCode::Ok;
          }};
}

}  // namespace thallo::cli
