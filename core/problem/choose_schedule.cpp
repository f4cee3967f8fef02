#include "core/problem/choose_schedule.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/dump.h"
#include "core/base/log.h"
#include "core/base/option_text.h"
#include "core/base/quantity_text.h"
#include "core/base/stop_scope.h"
#include "core/base/suggest.h"
#include "core/frontend/schedule_text.h"
#include "core/schedule/gather.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

// The time and memory for weighing schedules grow with the square of the residuals that are written
// out.
constexpr std::size_t MostWeighedResiduals = 500;

bool is_deterministic(const AutoTarget* target) {
  return target != nullptr && target->program.is_deterministic;
}

Expected<Schedule> default_schedule(const Energy& energy, const ConstructRegistry& constructs,
                                    const AutoTarget* target) {
  return is_deterministic(target) ? gathered_schedule(energy, constructs)
                                  : named_schedule("default", energy, constructs);
}

// Adds what the schedule takes, beside another one if the order of additions does not matter; what
// cannot be priced, or takes too long, has no such step.
using OtherSchedule = std::function<Expected<Schedule>(PlanPricer& pricer)>;
void add_price_of_order(const Energy& energy, const ConstructRegistry& constructs,
                        const AutoTarget& target, const DeviceSpec& device,
                        const Schedule& schedule, const OtherSchedule& make_other,
                        std::vector<AutoStep>& steps) {
  constexpr std::int64_t MostSteps = 2'000'000;  // about a second
  try {
    const StepLimit limit(MostSteps);
    AutoTarget in_any_order = target;
    in_any_order.program.is_deterministic = false;
    PlanPricer pricer = plan_pricer(energy, in_any_order, device);
    const auto other = make_other(pricer);
    if (!other) return;
    const auto fixed = make_plan(energy, schedule, constructs);
    const auto any = make_plan(energy, *other, constructs);
    if (!fixed || !any) return;
    const auto seconds = [](const PlanPricer& by, const Plan& plan) {
      return by.price(plan).prediction.nonlinear_iteration;
    };
    steps.push_back({std::string(OrderOfAdditions),
                     {{"fixed", seconds(plan_pricer(energy, target, device), *fixed)},
                      {"any", seconds(pricer, *any)}}});
  } catch (const OutOfSteps&) {
    logger("solve").debug("the price of the order is not told, since lowering takes too long");
  }
}

// The schedule of the energy's text, with its price where that has to be told.
Expected<Schedule> own_schedule(const EnergyFile& file, const ConstructRegistry& constructs,
                                const AutoTarget* target, Unsaid unsaid) {
  auto schedule = read_schedule_for(file.energy, file.schedule, constructs, target, unsaid);
  if (!schedule || !is_deterministic(target)) return schedule;
  if (const auto device = target->device()) {
    const auto as_written = [&](PlanPricer&) {
      return read_schedule(file.energy, file.schedule, constructs);
    };
    std::vector<AutoStep> steps;
    add_price_of_order(file.energy, constructs, *target, *device, *schedule, as_written, steps);
    target->told(steps);
  }
  return schedule;
}

Expected<Schedule> auto_schedule(const EnergyFile& file, const ConstructRegistry& constructs,
                                 const AutoTarget& target) {
  if (!weighs_schedules(file.energy)) {
    logger("solve").info("auto is the default schedule, since '{}' has more than {} residuals",
                         file.energy.name(), MostWeighedResiduals);
    return default_schedule(file.energy, constructs, &target);
  }
  THALLO_TRY(const auto device, target.device());
  const StepLimit limit(MostWeighingSteps);
  try {
    PlanPricer pricer = plan_pricer(file.energy, target, device);
    THALLO_TRY(auto chosen, autoschedule(file.energy, constructs, pricer, target.memory_limit));
    logger("solve").debug("auto took {} steps", limit.steps());
    if (target.program.is_deterministic) {
      const auto choose = [&](PlanPricer& by) -> Expected<Schedule> {
        THALLO_TRY(auto other, autoschedule(file.energy, constructs, by, target.memory_limit));
        return std::move(other.schedule);
      };
      add_price_of_order(file.energy, constructs, target, device, chosen.schedule, choose,
                         chosen.steps);
    }
    std::string text;
    for (const AutoStep& step : chosen.steps) {
      logger("solve").debug("auto: {}", to_string(step));
      text += to_string(step) + "\n";
    }
    dump("02_auto.txt", text);
    target.told(chosen.steps);
    return std::move(chosen.schedule);
  } catch (const OutOfSteps&) {
    logger("solve").warn(
        "the default schedule is used, since auto would weigh '{}' for more than "
        "{} steps; its residuals read very many unknowns",
        file.energy.name(), MostWeighingSteps);
    return default_schedule(file.energy, constructs, &target);
  }
}

// True if the statement decides what `legal`, the text of another one, decides.
bool decides(const ScheduleStatement& statement, std::string_view legal) {
  return legal.starts_with(fmt::format("{}:{}", statement.on.text(), statement.method));
}

// The statement in whose place `legal` should stand, else the first one of the part, else of all.
const ScheduleStatement& statement_to_blame(const std::vector<ScheduleStatement>& statements,
                                            const Part& part, std::string_view legal) {
  auto found = std::ranges::find_if(
      statements, [&](const ScheduleStatement& statement) { return decides(statement, legal); });
  if (found == statements.end())
    found = std::ranges::find_if(statements, [&](const ScheduleStatement& statement) {
      return statement.on.name == part.name;
    });
  return found == statements.end() ? statements.front() : *found;
}

}  // namespace

std::string order_text(const std::vector<AutoStep>& steps) {
  const auto order = std::ranges::find(steps, OrderOfAdditions, &AutoStep::subject);
  if (order == steps.end()) return "";
  const double fixed = order->compared[0].seconds, any = order->compared[1].seconds;
  return fmt::format("predicted to take {} a step, {:.2f} times the {} of sums in any order",
                     quantity_text(fixed, "s"), fixed / any, quantity_text(any, "s"));
}

Expected<Schedule> read_schedule_for(const Energy& energy,
                                     std::vector<ScheduleStatement> statements,
                                     const ConstructRegistry& constructs, const AutoTarget* target,
                                     Unsaid unsaid) {
  for (;;) {
    auto schedule = read_schedule(energy, statements, constructs);
    if (!schedule || statements.empty() || !is_deterministic(target)) return schedule;
    THALLO_TRY(const auto plan, make_plan(energy, *schedule, constructs));
    const auto part = std::ranges::find_if(
        plan.parts, [&](const Part& each) { return !check_order(energy, each); });
    if (part == plan.parts.end()) return schedule;
    Diagnostic fault = check_order(energy, *part).error();
    const std::string legal = fault.alternatives.front();
    const bool is_said = std::ranges::any_of(
        statements, [&](const ScheduleStatement& statement) { return decides(statement, legal); });
    if (is_said || unsaid == Unsaid::Refused) {
      fault.where = statement_to_blame(statements, *part, legal).where;
      return fail(std::move(fault));
    }
    THALLO_TRY(const auto added, load_schedule_text(legal, "what deterministic adds"));
    statements.insert(statements.end(), added.begin(), added.end());
  }
}

bool weighs_schedules(const Energy& energy) {
  std::size_t num_residuals = 0;
  for (const ResidualGroup& group : energy.groups()) num_residuals += group.residuals.size();
  return num_residuals <= MostWeighedResiduals;
}

PlanPricer plan_pricer(const Energy& energy, const AutoTarget& target, DeviceSpec device) {
  return plan_pricer(energy, target, std::move(device), map_statistics(energy, target.binding));
}

PlanPricer plan_pricer(const Energy& energy, const AutoTarget& target, DeviceSpec device,
                       std::map<MapId, MapStatistics> maps) {
  return {energy, target.binding, std::move(maps), target.prices(), std::move(device)};
}

Expected<Schedule> choose_schedule(const std::string& asked, const EnergyFile& file,
                                   const ConstructRegistry& constructs, const AutoTarget* target) {
  const bool is_open = asked.empty() && file.schedule.empty();
  const std::string& which = is_open ? file.schedule_name : asked;
  if (which == "auto") {
    if (target != nullptr) return auto_schedule(file, constructs, *target);
    return fail(
        "the schedule auto is chosen for an instance on a device, which are not known here");
  }
  if (is_open && which.empty()) {
    // Without constructs there is nothing to choose.
    if (target == nullptr || constructs.entries().empty()) return Schedule();
    auto chosen = auto_schedule(file, constructs, *target);
    if (chosen) return chosen;
    logger("solve").warn("the default schedule is used, since auto cannot choose: {}",
                         chosen.error().message());
    return default_schedule(file.energy, constructs, target);
  }
  const bool is_name = std::ranges::find(NamedSchedules, which) != std::end(NamedSchedules);
  if (which == "default") return default_schedule(file.energy, constructs, target);
  if (is_name) return named_schedule(which, file.energy, constructs);
  if (which.empty() || which == "file") {
    if (which == "file" && file.schedule.empty()) {
      return fail("{}: the text of '{}' has no schedule", option_text("schedule", "file"),
                  file.energy.name());
    }
    return own_schedule(file, constructs, target,
                        which.empty() ? Unsaid::Completed : Unsaid::Refused);
  }
  if (which.ends_with(".sched")) {
    THALLO_TRY(const auto statements, load_schedule(which));
    return read_schedule_for(file.energy, statements, constructs, target);
  }
  std::vector<std::string> legal(std::begin(NamedSchedules), std::end(NamedSchedules));
  legal.emplace_back("auto");
  legal.emplace_back("file");
  const std::string suggestion = did_you_mean(which, legal);
  legal.emplace_back("the path of a .sched file");
  return fail(Diagnostic{"no schedule '" + which + "'" + suggestion, {}, legal});
}

}  // namespace thallo
