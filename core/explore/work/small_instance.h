#pragma once

// The small instance of a problem, on which what a schedule computes is compared with what the
// energy defines: on the data that are measured the true values would take too long.

#include <memory>
#include <optional>
#include <string>

#include "core/backend/backend.h"
#include "core/diff/displacement.h"
#include "core/explore/verification.h"
#include "core/explore/work/explored_problem.h"

namespace thallo {

class SmallInstance {
 public:
  // Of the problem with its small_options(); where it has none, the measured instance if that is
  // small enough, else nothing. `measured` is what `target` opens. Fails when the instance cannot
  // be made, or has another energy. All arguments must outlive the result.
  static Expected<std::unique_ptr<SmallInstance>> open(Session& session,
                                                       const ExplorationTarget& target,
                                                       const ExploredProblem& measured,
                                                       Backend& backend);

  struct Outcome {
    std::optional<double> error;  // the largest; absent where the schedule cannot be run here
    std::string fault;            // what is wrong, with all errors; empty when nothing is
  };
  // Throws UserError when a kernel does not compile.
  Outcome verify(const Schedule& schedule);

 private:
  SmallInstance(ExploredProblem problem, Backend& backend);

  ExploredProblem problem_;
  OffSwitches displaced_;
  Verification verification_;
};

}  // namespace thallo
