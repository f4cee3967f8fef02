// Reads the results of a problem from a measurement store, and counts the problem's schedules. It
// has a session of its own, so that the analysis of the open problem can continue meanwhile. Only
// one thread may use it at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/report/report.h"
#include "core/explore/search/named_proposals.h"
#include "core/explore/space/explored_problem.h"
#include "core/plugin/session.h"
#include "gui/problem/problem_data.h"
#include "gui/space/space_data.h"

namespace thallo::gui {

class SpaceReader {
 public:
  // `problem` must belong to the same target; its named schedules are marked.
  static Expected<std::shared_ptr<SpaceReader>> open(const ExplorationTarget& target,
                                                     const ProblemSnapshot& problem);

  // Reads what the store has about a device: the device with this signature, else the one that the
  // problem is viewed on, else one of the same backend, else any other. Among several, the one with
  // the fastest schedule is chosen. Returns nothing if nothing was measured yet: the file does not
  // exist, or has no result of this problem. Fails if the store cannot be read.
  Expected<std::optional<SpaceSnapshot>> read(const QString& store, const QString& device);
  // Counts the schedules that keep the pins. Fails if the problem has no such space.
  Expected<SpaceCounts> count(const QString& space, const QStringList& pins) const;

 private:
  SpaceReader(std::unique_ptr<Session> session, ExploredProblem problem,
              const ProblemSnapshot& snapshot);

  std::unique_ptr<Session> m_session;
  ExploredProblem m_problem;
  std::string m_device, m_backend;
  std::vector<NamedProposal> m_named;
  DecisionReader m_decisions;
};

// Makes the snapshot of a device's candidates.
SpaceSnapshot spaceSnapshot(const DeviceReport& report);

}  // namespace thallo::gui
