#pragma once

// The small instance of a problem. What a schedule computes is compared there with what the energy
// defines; on the measured data, computing the true values would take too long.

#include <memory>
#include <optional>
#include <string>

#include "core/backend/backend.h"
#include "core/diff/displacement.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/verify/verification.h"

namespace thallo {

class SmallInstance {
 public:
  // Opens the problem with its small_options(). If it has none, uses the measured instance if that
  // is small enough, and otherwise returns null. `measured` is the problem that `target` opens.
  // Fails if the instance cannot be made or has another energy. All arguments must outlive the
  // result.
  static Expected<std::unique_ptr<SmallInstance>> open(Session& session,
                                                       const ExplorationTarget& target,
                                                       const ExploredProblem& measured,
                                                       Backend& backend);

  struct Outcome {
    std::optional<double> error;  // the largest; absent if the schedule cannot run here
    std::string fault;            // what is wrong, with all errors; empty if nothing is
  };
  // Throws UserError if a kernel does not compile.
  Outcome verify(const Schedule& schedule);

 private:
  SmallInstance(ExploredProblem problem, Backend& backend);

  ExploredProblem problem_;
  OffSwitches displaced_;
  Verification verification_;
};

}  // namespace thallo
