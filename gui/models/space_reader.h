// Reads from a measurement store what was found of a problem, and counts its schedules. It has a
// session of its own, so that the analysis of the open problem goes on meanwhile. One
// thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/named_proposals.h"
#include "core/explore/report/report.h"
#include "core/explore/work/explored_problem.h"
#include "core/plugin/session.h"
#include "gui/models/problem_data.h"
#include "gui/models/site_effects.h"
#include "gui/models/space_data.h"

namespace thallo::gui {

class SpaceReader {
 public:
  // `problem` is of the same target; its schedules are marked.
  static Expected<std::shared_ptr<SpaceReader>> open(const ExplorationTarget& target,
                                                     const ProblemSnapshot& problem);

  // What the store has of a device: the one with this signature, else the one that the problem is
  // looked at on, else one of the same backend, else another; of several the one with the fastest
  // schedule. Absent when nothing was measured yet: there is no such file, or it has no result of
  // this problem. Fails when the store cannot be read.
  Expected<std::optional<SpaceSnapshot>> read(const QString& store, const QString& device);
  // Fails when there is no such space of the problem.
  Expected<SpaceCounts> count(const QString& space) const;

 private:
  SpaceReader(std::unique_ptr<Session> session, ExploredProblem problem,
              const ProblemSnapshot& snapshot);
  SilentChoices silentChoices(const DeviceReport& report);
  std::optional<std::string> silentText(const std::string& text) const;

  std::unique_ptr<Session> m_session;
  ExploredProblem m_problem;
  std::string m_device, m_backend;
  std::vector<NamedProposal> m_named;
  std::set<std::string> m_lowLevel;  // the constructs of the last stage
  // As SilentChoices has them, by what texts say before the last stage; none of texts that
  // are not legal.
  std::map<std::string, std::optional<std::string>> m_silent;
};

// Of a device's candidates.
SpaceSnapshot spaceSnapshot(const DeviceReport& report, const SilentChoices& silent);

}  // namespace thallo::gui
