#include "core/explore/report/schedule_steps.h"

#include <algorithm>
#include <utility>

#include "core/schedule/named_schedules.h"

namespace thallo {
namespace {

constexpr const char* Base = "published-default";

bool has(const Schedule& schedule, const Directive& directive) {
  return std::ranges::find(schedule.directives(), directive) != schedule.directives().end();
}

class Steps {
 public:
  Steps(const ExploredProblem& problem, const CostModel& model, const DeviceReport& report)
      : problem_(problem), report_(report) {
    if (report.spec) {
      pricer_.emplace(problem.file.energy, problem.instance.binding, problem.price_options(model),
                      *report.spec);
    }
  }

  Expected<std::vector<ScheduleStep>> towards(const Schedule& wanted) {
    auto current = named_schedule(Base, problem_.file.energy, *problem_.constructs);
    if (!current) return fail(current.error());
    add({Base}, *current);
    std::vector<Directive> pending;
    for (const Directive& directive : wanted.directives())
      if (!has(*current, directive)) pending.push_back(directive);
    // A directive that is refused now may become legal after a later one.
    for (auto next = pending.begin(); next != pending.end();) {
      auto edited = edit(problem_.file.energy, *current, {*next}, *problem_.constructs);
      if (!edited || !has(edited->schedule, *next)) {
        ++next;
        continue;
      }
      current = std::move(edited->schedule);
      add({written(*next)}, *current);
      pending.erase(next);
      next = pending.begin();
    }
    if (*current != wanted) add(difference(*current, wanted), wanted);
    return std::move(steps_);
  }

 private:
  std::string written(const Directive& directive) const {
    return problem_.constructs->find(directive.construct)->print(directive);
  }

  std::vector<std::string> difference(const Schedule& from, const Schedule& to) const {
    std::vector<std::string> change;
    for (const Directive& directive : to.directives())
      if (!has(from, directive)) change.push_back(written(directive));
    for (const Directive& directive : from.directives())
      if (!has(to, directive)) change.push_back("without " + written(directive));
    return change;
  }

  void add(std::vector<std::string> change, const Schedule& schedule) {
    ScheduleStep step{.change = std::move(change),
                      .hash = schedule.hash(*problem_.constructs).hex()};
    const auto its = std::ranges::find(report_.candidates, step.hash, &Candidate::hash);
    if (its != report_.candidates.end()) step.measured = measured_seconds(*its, report_.kind);
    if (const auto plan = problem_.plan_of(schedule); pricer_ && plan)
      step.predicted = pricer_->price(*plan).prediction.nonlinear_iteration;
    const ScheduleStep& first = steps_.empty() ? step : steps_.front();
    step.is_factor_measured = first.measured && step.measured;
    if (step.is_factor_measured) {
      step.factor = *first.measured / *step.measured;
    } else if (first.predicted && step.predicted) {
      step.factor = *first.predicted / *step.predicted;
    }
    steps_.push_back(std::move(step));
  }

  const ExploredProblem& problem_;
  const DeviceReport& report_;
  std::optional<PlanPricer> pricer_;
  std::vector<ScheduleStep> steps_;
};

}  // namespace

Expected<std::vector<ScheduleStep>> schedule_steps(const ExploredProblem& problem,
                                                   const CostModel& model,
                                                   const DeviceReport& report,
                                                   const Schedule& schedule) {
  return Steps(problem, model, report).towards(schedule);
}

}  // namespace thallo
