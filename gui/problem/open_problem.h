// The core's view of an open problem. Only one thread may use it at a time; the app uses the thread
// of its analysis runner.
#pragma once

#include <memory>
#include <optional>

#include "core/cost/pricing/plan_pricer.h"
#include "core/cost/pricing/time_change.h"
#include "core/explore/dag/energy_dag.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/worker/requests.h"
#include "core/kernel/instance_storage.h"
#include "core/plugin/session.h"
#include "gui/problem/problem_data.h"

namespace thallo::gui {

class OpenProblem {
 public:
  // Opens the problem. The session is shared with others on the same thread. `deviceSpec` is in the
  // form that named_device_spec() takes; the device in the request is ignored.
  static Expected<std::shared_ptr<OpenProblem>> open(std::shared_ptr<Session> session,
                                                     const ProblemRequest& request,
                                                     const QString& deviceSpec);

  const ExploredProblem& explored() const { return m_explored; }
  const Energy& energy() const { return m_explored.file.energy; }
  const ConstructRegistry& constructs() const { return *m_explored.constructs; }
  Precision precision() const { return m_explored.program.precision; }
  const DeviceSpec& device() const { return m_pricer.device(); }
  const ExplorationTarget& target() const { return m_target; }
  // What the device can store.
  const StorageLimit& limit() const { return m_limit; }
  PlanPricer& pricer() { return m_pricer; }
  PriceScope scope() const;
  EnergyDag& dag();

  // Returns what the app shows about the problem, with all named schedules.
  ProblemSnapshot snapshot();
  Expected<Plan> plan(const Schedule& schedule) const { return m_explored.plan_of(schedule); }
  QString hashOf(const Schedule& schedule) const;
  // Opens the problem in a worker, for its device, which need not be present.
  OpenRequest openRequest() const;

 private:
  OpenProblem(std::shared_ptr<Session> session, ExplorationTarget target, ExploredProblem explored,
              DeviceSpec device);

  std::shared_ptr<Session> m_session;
  ExplorationTarget m_target;
  ExploredProblem m_explored;
  PlanPricer m_pricer;
  InstanceStorage m_limit;
  std::optional<EnergyDag> m_dag;  // made on first use
};

// Reads the text of a problem's energy. `energy` is null if the text has faults. The source is
// known then, too, if the problem is one of a .toml file.
EnergySource readEnergySource(Session& session, const QString& problem, const Energy* energy);

}  // namespace thallo::gui
