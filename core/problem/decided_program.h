// Decides what a solve runs where the user leaves it open: the linear solver, its preconditioner,
// what it eliminates, and the precision. Whoever runs, prices, explores or shows a program asks
// here, so that all of them mean the same one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/frontend/energy_file.h"
#include "core/kernel/lower.h"
#include "core/problem/choose_linear_solver.h"
#include "core/problem/driver.h"
#include "core/problem/sampled_rows.h"
#include "core/schedule/plan.h"
#include "core/solve/options.h"

namespace thallo {

struct DecidedProgram {
  SolverOptions solver;           // names the linear solver
  ProgramOptions program;         // complete
  std::string why_linear_solver;  // empty if it was named
  std::string why_precision;      // why mixed precision became double; often empty
  // That a step is expected to take where nobody named their number and a test ends them; else 0.
  double linear_iterations = 0;
};
// Returns the iterations that prices assume: no linear ones of a direct solver, of another those
// that are named, or else those that are expected.
IterationCounts expected_counts(const DecidedProgram& decided);

// What a program is wanted for.
struct ProgramDemand {
  const Instance& instance;
  Precision precision;  // as it is asked for
  // Returns the spec of the device that the program is for, to choose by what it takes there.
  std::function<Expected<DeviceSpec>()> device;
  // Returns the instance's data on the host, for a look at rows of J; if null, the last look
  // counts.
  std::function<Expected<Binding>()> data;
};

// The demand of an instance whose data are on the host.
ProgramDemand demand_on_host(const Instance& instance, Precision precision,
                             std::function<Expected<DeviceSpec>()> device);

// Decides for instances of one energy, and keeps what it found for the next instance where that
// cannot have changed.
class ProgramDecider {
 public:
  // Both must outlive this object.
  ProgramDecider(const EnergyFile& file, const RunRequest& request);

  // `options` are those of solver_options(). Fails for what suit_program() refuses.
  Expected<DecidedProgram> decide(const ProgramDemand& demand, SolverOptions options);

  // Decides for pcg if the plan has no program with the linear solver that was chosen: whoever
  // names a schedule and no linear solver wants the schedule. Fails if the linear solver was named.
  Expected<void> suit(const Plan& plan, const ProgramDemand& demand, DecidedProgram& decided);

 private:
  void choose(const ProgramDemand& demand, const SolverOptions& options);
  void suit_precision(const Instance& instance, DecidedProgram& decided) const;
  bool outgrows_float(const Instance& instance, const DecidedProgram& decided) const;
  void suit_radius(DecidedProgram& decided) const;
  void suit_loose_steps(DecidedProgram& decided) const;
  void expect_iterations(const ProgramDemand& demand, DecidedProgram& decided) const;
  Expected<void> suit_eliminated(const Instance& instance, DecidedProgram& decided);

  const EnergyFile& file_;
  const RunRequest& request_;
  bool is_linear_;
  SampledRows rows_;  // of the last data that were looked at
  // The linear solver that was chosen last, and for which solver, extents, decade of anchoring and
  // quarters that are free.
  using ChosenFor = std::tuple<SolverKind, std::vector<std::int64_t>, double, double>;
  std::optional<std::pair<ChosenFor, LinearSolverChoice>> chosen_;
  // For what suit_program() was asked last: linear solver, option eliminate, preconditioner,
  // extents; and the space to eliminate.
  using SuitedFor = std::tuple<const LinearSolver*, std::string, const Preconditioner*,
                               std::vector<std::int64_t>>;
  std::optional<std::pair<SuitedFor, FieldId>> eliminated_;
  int loose_iterations_ = 0;  // that are worth it with that space
};

// Returns the target that `auto` chooses a schedule for under the decided program. All arguments
// must outlive it; the demand's device is asked only if `auto` is wanted.
AutoTarget auto_target(const ProgramDemand& demand, const DecidedProgram& decided,
                       const RunRequest& request);

// Decides once. Of the request, solver options, linear solvers, passes, the cost model and the
// limit of memory count.
Expected<DecidedProgram> decide_program(const EnergyFile& file, const ProgramDemand& demand,
                                        const RunRequest& request);

}  // namespace thallo
