// A problem that is open, as the core sees it: reads, edits and prices schedules. One thread at a
// time; the app uses the one of its analysis runner.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QByteArray>
#include <QStringList>

#include "core/cost/device_spec.h"
#include "core/cost/estimator.h"
#include "core/explore/choice_sites.h"
#include "core/explore/dag/energy_dag.h"
#include "core/explore/work/explored_problem.h"
#include "core/kernel/instance_storage.h"
#include "core/plugin/session.h"
#include "gui/models/kernel_data.h"
#include "gui/models/problem_data.h"
#include "gui/models/schedule_data.h"
#include "gui/models/unplaced_graph.h"

namespace thallo::gui {

class Analysis {
 public:
  // The session is shared with others on the same thread. `deviceSpec` is as named_device_spec()
  // takes it; the device in the request is not used.
  static Expected<std::shared_ptr<Analysis>> open(std::shared_ptr<Session> session,
                                                  const ProblemRequest& request,
                                                  const QString& deviceSpec);

  const ExploredProblem& problem() const { return m_problem; }
  const DeviceSpec& device() const { return m_device; }
  const ExplorationTarget& target() const { return m_target; }
  const StorageLimit& limit() const { return m_limit; }

  // With all schedules that have names.
  ProblemSnapshot snapshot();
  // A schedule text, in normal form and with its times. Faults name the file that it is of.
  Expected<ScheduleSnapshot> read(const QString& text, const QString& file = "the schedule");
  // The schedule with some of its decisions changed.
  Expected<ScheduleSnapshot> edit(const Schedule& schedule, const ScheduleEdit& edit);
  // What that would come to. An edit that is not legal is no failure.
  Trial tryOut(const Schedule& schedule, const ScheduleEdit& edit);
  // Every site with its choices; times are absent, weigh() finds them. Asked to stop, it ends soon
  // and what it says of memory is of no use.
  Expected<SiteTable> sites(const Schedule& schedule, const std::stop_token& stop = {});
  // The table with the predicted time of every legal choice; unfinished when asked to stop.
  Expected<SiteTable> weigh(const Schedule& schedule, SiteTable table, const std::stop_token& stop);
  TimeEstimate estimate(const Plan& plan);
  // The steps of its program, with who asked for them; takes longer than an estimate.
  Expected<std::vector<StepFacts>> steps(const Schedule& schedule);
  // What it decides, in the order of the sites.
  Expected<std::vector<Decision>> decisions(const Schedule& schedule);
  // What its program stores, the largest first.
  Expected<std::vector<BufferBytes>> buffers(const Schedule& schedule);
  // The graph under the schedule, with what nodes of these ids are made of.
  Expected<UnplacedGraph> graph(const Schedule& schedule, const QStringList& expanded);

 private:
  Analysis(std::shared_ptr<Session> session, ExplorationTarget target, ExploredProblem problem,
           DeviceSpec device);
  Expected<ScheduleSnapshot> snapshotOf(Schedule schedule);
  Expected<std::vector<ChoiceSite>> choiceSites(const Schedule& schedule,
                                                const StorageLimit* limit);
  // What the edit means for the schedule.
  Expected<std::vector<Directive>> directives(const Schedule& schedule, const ScheduleEdit& edit);
  // What a choice at a site means: of a placement, that its item alone is placed, as by a drop.
  Expected<std::vector<Directive>> directivesOf(const std::vector<ChoiceSite>& sites,
                                                const ChoiceSite& at, const Choice& choice) const;
  Expected<EditedSchedule> decide(const Schedule& schedule,
                                  const std::vector<Directive>& directives);

  std::shared_ptr<Session> m_session;
  ExplorationTarget m_target;
  ExploredProblem m_problem;
  DeviceSpec m_device;
  const CostModel& m_model;
  Estimator m_estimator;
  InstanceStorage m_limit;
  std::optional<EnergyDag> m_dag;  // made when it is first asked for
};

}  // namespace thallo::gui
