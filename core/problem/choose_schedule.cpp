#include "core/problem/choose_schedule.h"

#include <algorithm>
#include <utility>

#include "core/base/dump.h"
#include "core/base/log.h"
#include "core/base/option_text.h"
#include "core/base/stop_scope.h"
#include "core/base/suggest.h"
#include "core/frontend/schedule_text.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

// The time and memory for weighing schedules grow with the square of the residuals that are written
// out.
constexpr std::size_t MostWeighedResiduals = 500;

// What a linear solve is expected to take of a number that is only a limit.
constexpr int MostExpectedLinearIterations = 30;

// Loose iterations are spread over so many steps.
constexpr double StepsOfLooseIterations = 5;

Expected<Schedule> auto_schedule(const EnergyFile& file, const ConstructRegistry& constructs,
                                 const AutoTarget& target) {
  if (!weighs_schedules(file.energy)) {
    logger("solve").info("auto is the default schedule, since '{}' has more than {} residuals",
                         file.energy.name(), MostWeighedResiduals);
    return Schedule();
  }
  const auto device = target.device();
  if (!device) return fail(device.error());
  const StepLimit limit(MostWeighingSteps);
  try {
    PlanPricer pricer = plan_pricer(file.energy, target, *device);
    auto chosen = autoschedule(file.energy, constructs, pricer, target.memory_limit);
    if (!chosen) return fail(chosen.error());
    logger("solve").debug("auto took {} steps", limit.steps());
    std::string text;
    for (const AutoStep& step : chosen->steps) {
      logger("solve").debug("auto: {}", to_string(step));
      text += to_string(step) + "\n";
    }
    dump("02_auto.txt", text);
    target.told(chosen->steps);
    return std::move(chosen->schedule);
  } catch (const OutOfSteps&) {
    logger("solve").warn(
        "the default schedule is used, since auto would weigh '{}' for more than "
        "{} steps; its residuals read very many unknowns",
        file.energy.name(), MostWeighingSteps);
    return Schedule();
  }
}

}  // namespace

IterationCounts expected_counts(const SolverOptions& options, const ProgramOptions& program) {
  if (!program.has_linear_loop()) return {.linear_iterations = 0, .reset_period = 0};
  if (program.linear_solver->is_direct()) {
    return {.linear_iterations = options.loose_iterations.value_or(0) / StepsOfLooseIterations,
            .reset_period = static_cast<double>(options.residual_reset_period)};
  }
  const bool is_limit = options.pcg_has_test() && !options.named.contains("lIterations");
  return {.linear_iterations = static_cast<double>(
              is_limit ? std::min(options.num_linear_iterations, MostExpectedLinearIterations)
                       : options.num_linear_iterations),
          .reset_period = program.resets_residual() ? options.residual_reset_period : 0.0};
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
    return Schedule();
  }
  const bool is_name = std::ranges::find(NamedSchedules, which) != std::end(NamedSchedules);
  if (is_name) return named_schedule(which, file.energy, constructs);
  if (which.empty() || which == "file") {
    if (which == "file" && file.schedule.empty()) {
      return fail("{}: the text of '{}' has no schedule", option_text("schedule", "file"),
                  file.energy.name());
    }
    return read_schedule(file.energy, file.schedule, constructs);
  }
  if (which.ends_with(".sched")) {
    const auto statements = load_schedule(which);
    if (!statements) return fail(statements.error());
    return read_schedule(file.energy, *statements, constructs);
  }
  std::vector<std::string> legal(std::begin(NamedSchedules), std::end(NamedSchedules));
  legal.emplace_back("auto");
  legal.emplace_back("file");
  const std::string suggestion = did_you_mean(which, legal);
  legal.emplace_back("the path of a .sched file");
  return fail(Diagnostic{"no schedule '" + which + "'" + suggestion, {}, legal});
}

}  // namespace thallo
