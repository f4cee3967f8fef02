#pragma once

// A problem made ready to be explored: its energy with the intermediates that schedules decide
// about, its data, and the options that its programs are made with. No device is involved.

#include <memory>
#include <string>

#include "core/backend/backend.h"
#include "core/cost/cost_model.h"
#include "core/explore/work/target.h"
#include "core/kernel/lower.h"
#include "core/plugin/session.h"
#include "core/problem/choose_schedule.h"
#include "core/problem/driver.h"

namespace thallo {

struct ExploredProblem {
  const Problem* problem = nullptr;
  const ConstructRegistry* constructs = nullptr;
  Options options;  // complete
  EnergyFile file;
  Instance instance;
  SolverOptions solver;
  ProgramOptions program;
  Precision precision = Precision::Float;
  CompileOptions compile;
  std::string signature;  // problem_signature()

  // Fails as `thallo solve` would for the same words. The session must outlive the result.
  static Expected<ExploredProblem> open(Session& session, const ExplorationTarget& target);

  Expected<Schedule> read(const std::string& text) const;
  // The plan in the working precision. Fails also when there is no program for it.
  Expected<Plan> plan_of(const Schedule& schedule) const;
  // What a nonlinear iteration is predicted for.
  IterationCounts iteration_counts() const;
  // What the schedule `auto` is chosen for, on that device. Neither may change while it is used.
  AutoTarget auto_target(const DeviceSpec& device_spec) const;
};

}  // namespace thallo
