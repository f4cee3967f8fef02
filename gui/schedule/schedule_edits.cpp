#include "gui/schedule/schedule_edits.h"

#include <utility>

#include "core/explore/space/groups.h"
#include "core/frontend/schedule_text.h"
#include "core/kernel/frequency.h"
#include "core/schedule/schedule_reader.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

TimeEstimate estimateOf(OpenProblem& problem, const Plan& plan) {
  const auto [work, prediction] = problem.pricer().price(plan);
  const IterationCounts counts = problem.pricer().options().counts;
  TimeEstimate time{.nonlinear = prediction.nonlinear_iteration,
                    .linear = prediction.linear_iteration,
                    .linearIterations = counts.linear_iterations,
                    .bytes = prediction.bytes,
                    .beside = prediction.beside};
  std::vector<TimeSegment> linear;
  const ShownNames shown(problem.energy(), plan);
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    const Frequency frequency = frequency_of(work.steps[i].phase);
    TimeSegment segment{.label = toQt(work.steps[i].label),
                        .shown = toQt(shown.label(work.steps[i].label)),
                        .predicted = prediction.steps[i]};
    if (frequency == Frequency::NonlinearIteration) {
      time.segments.push_back(std::move(segment));
    } else if (frequency == Frequency::LinearIteration) {
      segment.isLinear = true;
      segment.runs = counts.linear_iterations;
      linear.push_back(std::move(segment));
    }
  }
  time.segments.insert(time.segments.end(), linear.begin(), linear.end());
  return time;
}

Expected<ScheduleSnapshot> snapshotOf(OpenProblem& problem, Schedule schedule) {
  THALLO_TRY(const auto plan, problem.plan(schedule));
  ScheduleSnapshot snapshot{.text = toQt(schedule.text(problem.constructs())),
                            .hash = problem.hashOf(schedule),
                            .time = estimateOf(problem, plan)};
  snapshot.schedule = std::move(schedule);
  return snapshot;
}

// Translates the edit to directives.
Expected<std::vector<Directive>> directivesOf(const OpenProblem& problem, const Schedule& schedule,
                                              const ScheduleEdit& edit) {
  // A choice may be made even if it does not fit into memory; checking that would take long.
  if (!edit.directives.empty()) return edit.directives;
  THALLO_TRY(const auto sites, choiceSites(problem, schedule));
  const std::string name = edit.construct.toStdString();
  if (!edit.groups.empty()) {
    const Construct* construct = problem.constructs().find(name);
    if (construct == nullptr) return fail("there is no construct '{}'", name);
    Groups wanted;
    for (const QStringList& group : edit.groups) {
      auto& items = wanted.emplace_back();
      for (const QString& item : group) items.push_back(item.toStdString());
    }
    return regroup_from(problem.energy(), *construct, sites, wanted);
  }
  for (const ChoiceSite& at : sites) {
    if (toQt(at.construct->name()) != edit.construct || toQt(at.site.name) != edit.site) continue;
    // A site with too many choices does not list all of them.
    const auto found =
        at.construct->find(problem.energy(), *at.plan, at.site, {edit.label.toStdString(), {}});
    if (!found)
      return fail("{} of {} has no choice '{}'", name, at.site.name, edit.label.toStdString());
    return directives_for(problem.energy(), sites, at, found->choice);
  }
  return fail("{} decides nothing at {}", name, edit.site.toStdString());
}

}  // namespace

Expected<ScheduleSnapshot> readSchedule(OpenProblem& problem, const QString& text,
                                        const QString& file) {
  THALLO_TRY(const auto statements, load_schedule_text(text.toStdString(), file.toStdString()));
  THALLO_TRY(auto schedule, read_schedule(problem.energy(), statements, problem.constructs()));
  return snapshotOf(problem, std::move(schedule));
}

Expected<ScheduleSnapshot> editSchedule(OpenProblem& problem, const Schedule& schedule,
                                        const std::vector<ScheduleEdit>& edits) {
  Schedule current = schedule;
  std::vector<DroppedDirective> dropped;
  for (const ScheduleEdit& edit : edits) {
    THALLO_TRY(const auto decided, directivesOf(problem, current, edit));
    THALLO_TRY(auto edited, thallo::edit(problem.energy(), current, decided, problem.constructs()));
    for (const EditedSchedule::Dropped& its : edited.dropped) {
      const Construct* construct = problem.constructs().find(its.directive.construct);
      dropped.push_back({toQt(construct->print(its.directive)), toQt(its.why)});
    }
    current = std::move(edited.schedule);
  }
  auto snapshot = snapshotOf(problem, std::move(current));
  if (snapshot) snapshot->dropped = std::move(dropped);
  return snapshot;
}

Trial tryOut(OpenProblem& problem, const Schedule& schedule,
             const std::vector<ScheduleEdit>& edits) {
  auto made = editSchedule(problem, schedule, edits);
  if (!made) return {.edits = edits, .illegal = toQt(made.error())};
  return {.edits = edits, .snapshot = std::make_shared<const ScheduleSnapshot>(*std::move(made))};
}

Expected<std::vector<ChoiceSite>> choiceSites(const OpenProblem& problem, const Schedule& schedule,
                                              const StorageLimit* limit) {
  return list_choices(problem.energy(), schedule, problem.constructs(), problem.precision(), limit);
}

}  // namespace thallo::gui
