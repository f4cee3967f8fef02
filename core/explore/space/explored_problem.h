#pragma once

// A problem that is ready for exploration: its energy with the intermediates that schedules decide
// about, its data, and the options for its programs. No device is involved.

#include <string>

#include "core/backend/backend.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/space/target.h"
#include "core/kernel/lower.h"
#include "core/plugin/session.h"
#include "core/problem/choose_schedule.h"
#include "core/problem/driver.h"
#include "core/schedule/pins.h"

namespace thallo {

struct ExploredProblem {
  const Problem* problem = nullptr;
  const ConstructRegistry* constructs = nullptr;
  const CostModel* model = nullptr;
  Options options;  // complete
  EnergyFile file;
  Instance instance;
  SolverOptions solver;
  ProgramOptions program;         // that of a solve
  IterationCounts counts;         // that predictions assume
  std::string why_linear_solver;  // empty if it was named
  CompileOptions compile;
  std::string signature;  // problem_signature()

  // Fails as `thallo solve` does for the same arguments. The session must outlive the result.
  static Expected<ExploredProblem> open(Session& session, const ExplorationTarget& target);

  Expected<Schedule> read(const std::string& text) const;
  Expected<Pins> read_pins(const std::string& text) const;
  // Makes the plan in the working precision. Also fails if the plan has no program.
  Expected<Plan> plan_of(const Schedule& schedule) const;
  // Returns what prices of its plans assume.
  PriceOptions price_options(const CostModel& by) const;
  // Returns the target that `auto` is chosen for on that device. It refers to this problem and to
  // the spec, which must stay unchanged while it is used.
  AutoTarget auto_target(const DeviceSpec& device_spec) const;
};

}  // namespace thallo
