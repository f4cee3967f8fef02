#include "core/explore/worker/timed_choice.h"

#include <chrono>
#include <utility>
#include <vector>

#include "core/base/seconds_since.h"
#include "core/cost/autoschedule/autoschedule.h"
#include "core/explore/worker/refusal.h"
#include "core/schedule/named_schedules.h"
#include "core/search/schedule_space.h"

namespace thallo {

TimedChoice time_choice(const ExploredProblem& problem, FoundSites sites, const DeviceSpec& device,
                        int num_plans) {
  using Clock = std::chrono::steady_clock;
  const AutoTarget target = problem.auto_target(device);
  const auto maps = map_statistics(problem.file.energy, problem.instance.binding);
  const EnergyFile loaded = wanted(problem.problem->energy(problem.options));
  const auto start = Clock::now();
  const EnergyFile file = with_sites(loaded, sites);
  PlanPricer pricer = plan_pricer(file.energy, target, device, maps);
  const auto choose = [&] {
    return wanted(autoschedule(file.energy, *problem.constructs, pricer, target.memory_limit));
  };
  const AutoSchedule chosen = choose();
  TimedChoice timed{.device = device.name,
                    .num_nodes = loaded.energy.graph().size(),
                    .schedule = chosen.schedule.text(*problem.constructs),
                    .seconds = seconds_since(start)};
  const auto again = Clock::now();
  choose();
  timed.again_seconds = seconds_since(again);
  const auto predict = [&](const char* name, const Schedule& schedule) {
    const Plan plan = wanted(make_plan(file.energy, schedule, *problem.constructs));
    timed.predicted[name] = pricer.price(plan).prediction.nonlinear_iteration;
  };
  predict("auto", chosen.schedule);
  for (const char* name : {"default", "opt"})
    predict(name, wanted(named_schedule(name, file.energy, *problem.constructs)));

  std::vector<Plan> plans;
  const ScheduleSpace space(file.energy, *problem.constructs, target.program.precision);
  for (int seed = 1; seed <= num_plans; ++seed) {
    Plan plan = space.sample(static_cast<std::uint64_t>(seed)).plan;
    if (check_program(file.energy, plan, target.program)) plans.push_back(std::move(plan));
  }
  PlanPricer fresh = plan_pricer(file.energy, target, device, maps);
  const auto priced = Clock::now();
  for (const Plan& plan : plans) fresh.estimated_seconds(plan);
  timed.price_seconds = seconds_since(priced);
  timed.num_plans = plans.size();
  return timed;
}

}  // namespace thallo
