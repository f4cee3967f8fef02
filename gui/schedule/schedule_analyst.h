// The core's view of an open problem: reads, edits and prices schedules. Only one thread may use it
// at a time; the app uses the thread of its analysis runner.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QByteArray>
#include <QStringList>

#include "core/cost/pricing/plan_pricer.h"
#include "core/cost/pricing/time_change.h"
#include "core/explore/dag/energy_dag.h"
#include "core/explore/space/choice_sites.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/space/weighed_choices.h"
#include "core/kernel/instance_storage.h"
#include "core/plugin/session.h"
#include "core/schedule/pins.h"
#include "gui/graph/unplaced_graph.h"
#include "gui/kernels/kernel_data.h"
#include "gui/problem/problem_data.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

class ScheduleAnalyst {
 public:
  // Opens the problem. The session is shared with others on the same thread. `deviceSpec` is in the
  // form that named_device_spec() takes; the device in the request is ignored.
  static Expected<std::shared_ptr<ScheduleAnalyst>> open(std::shared_ptr<Session> session,
                                                         const ProblemRequest& request,
                                                         const QString& deviceSpec);

  const ExploredProblem& problem() const { return m_problem; }
  const DeviceSpec& device() const { return m_pricer.device(); }
  const ExplorationTarget& target() const { return m_target; }
  const StorageLimit& limit() const { return m_limit; }

  // Returns the problem, with all named schedules.
  ProblemSnapshot snapshot();
  // Reads a schedule text and returns the schedule in normal form, with its times. Faults name
  // `file`.
  Expected<ScheduleSnapshot> read(const QString& text, const QString& file = "the schedule");
  // Returns the schedule with some of its decisions changed, by one edit after the other.
  Expected<ScheduleSnapshot> edit(const Schedule& schedule, const std::vector<ScheduleEdit>& edits);
  // Returns what the edits would lead to. An illegal edit is not a failure.
  Trial tryOut(const Schedule& schedule, const std::vector<ScheduleEdit>& edits);
  // Returns every site with its choices, but without times, which weigh() adds. If asked to stop,
  // it returns soon, and what the table says about memory is not usable.
  Expected<SiteTable> sites(const Schedule& schedule, const std::stop_token& stop = {});
  // Adds the predicted time of every legal choice to the table. If asked to stop, the table is
  // incomplete.
  Expected<SiteTable> weigh(const Schedule& schedule, SiteTable table, const std::stop_token& stop);
  TimeEstimate estimate(const Plan& plan);
  // Returns the steps of its program and the directives that asked for them. Takes longer than an
  // estimate.
  Expected<std::vector<StepFacts>> steps(const Schedule& schedule);
  // Says why the predicted time of one schedule differs from that of another.
  Expected<TimeChangeCauses> causes(const Schedule& from, const Schedule& to);
  // Returns the decisions of the schedule, in the order of the sites.
  Expected<std::vector<Decision>> decisions(const Schedule& schedule);
  // Reads pins, as a schedule writes them. Fails if they are not possible.
  Expected<std::vector<PinnedSite>> readPins(const QStringList& directives);
  // Pins also these sites, as the schedule decides them, and what they need. Sites that are pinned
  // already are pinned anew. Fails if the other pins are not possible then.
  Expected<std::vector<PinnedSite>> pin(const QStringList& directives, const Schedule& schedule,
                                        const QStringList& siteIds);
  // Leaves these sites open, and those that need them.
  Expected<std::vector<PinnedSite>> unpin(const QStringList& directives,
                                          const QStringList& siteIds);
  // Returns the buffers that its program stores, the largest first.
  Expected<std::vector<BufferBytes>> buffers(const Schedule& schedule);
  // Returns the graph under the schedule, with the nodes of these ids expanded.
  Expected<UnplacedGraph> graph(const Schedule& schedule, const QStringList& expanded);

 private:
  ScheduleAnalyst(std::shared_ptr<Session> session, ExplorationTarget target,
                  ExploredProblem problem, DeviceSpec device);
  Expected<ScheduleSnapshot> snapshotOf(Schedule schedule);
  PriceScope scope() const;
  // Returns the moves that are no single choice.
  Expected<std::vector<OtherMove>> otherMoves(const Schedule& schedule,
                                              const WeighedChoices& weighed,
                                              const std::stop_token& stop);
  Expected<std::vector<ChoiceSite>> choiceSites(const Schedule& schedule,
                                                const StorageLimit* limit);
  Expected<Pins> pins(const QStringList& directives) const;
  std::vector<PinnedSite> pinnedSites(const Pins& pins) const;
  // Translates the edit to directives.
  Expected<std::vector<Directive>> directives(const Schedule& schedule, const ScheduleEdit& edit);
  Expected<EditedSchedule> decide(const Schedule& schedule,
                                  const std::vector<Directive>& directives);

  std::shared_ptr<Session> m_session;
  ExplorationTarget m_target;
  ExploredProblem m_problem;
  PlanPricer m_pricer;
  InstanceStorage m_limit;
  std::optional<EnergyDag> m_dag;  // made on first use
};

}  // namespace thallo::gui
