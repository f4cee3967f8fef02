// Solves instances of one energy, one after the other, on one backend: chooses what is left open,
// compiles, binds and runs the solver. A program is compiled for the first solve and kept. A later
// solve compiles again only if it needs another program, because of another solver, linear solver,
// preconditioner or precision. Extents and data may change with every solve.
//
// solve_problem() (driver.h) uses it to run problems, and EnergySolver (core/embed) to solve for
// the arrays of a program that embeds Thallo.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/kernel/lower.h"
#include "core/problem/decided_program.h"
#include "core/problem/driver.h"
#include "core/problem/problem.h"
#include "core/problem/schedule_times.h"
#include "core/schedule/precision.h"
#include "core/solve/minimizer.h"
#include "core/solve/solver.h"

namespace thallo {

class InstanceSolver {
 public:
  // All arguments must outlive this object. The request's progress callback is called for stages
  // Compile to Iteration.
  InstanceSolver(const EnergyFile& file, const RunRequest& request, Backend& backend)
      : file_(file), request_(request), backend_(backend), decider_(file, request) {}
  InstanceSolver(const InstanceSolver&) = delete;
  InstanceSolver& operator=(const InstanceSolver&) = delete;

  // Minimizes, starting from the instance's unknowns, and stores the result in them. After a
  // failure they are unchanged. `callback` is called with every IterationRecord.
  Expected<SolverSummary> solve(Instance& instance, const IterationCallback& callback = {});

  // The parts of solve(), for a caller that makes the steps itself. The minimizer must not be used
  // after another solve was begun, since they share the executable.
  Expected<Minimizer> begin(const Instance& instance, const IterationCallback& callback = {});
  // Takes the instance with its data after the last step. Returns the whole summary, and stores the
  // result in the instance's unknowns.
  SolverSummary finish(Minimizer& minimizer, Instance& instance);
  // Copies the current unknowns of a solve that was begun into the binding.
  void download_unknowns(Binding& binding) { executable_->download_unknowns(binding); }
  // Adds to the fault of a step what is not finite in the instance's data.
  Diagnostic with_its_cause(const Instance& instance, Diagnostic fault) const;

  // Returns what the schedule of the next solve is predicted to cost for the instance. Measures the
  // device if it was never measured.
  Expected<ExplainedSchedule> explain(const Instance& instance);
  // Makes the next solve compile, since the request has another schedule.
  void forget_program() { compiled_.reset(); }

  // Returns the precision that is asked for, and that of the program which was compiled last.
  Precision precision_of(const Instance& instance) const;
  Precision compiled_precision() const {
    return compiled_ ? compiled_->precision : Precision::Mixed;
  }
  // Returns the message for running out of memory during a solve.
  std::string out_of_memory_text(const Instance& instance) const;
  // The time of all compilations so far.
  double compile_seconds() const { return compile_seconds_; }
  // The bytes of fields and sparse maps that were copied between the host and a device.
  std::int64_t bytes_moved() const;
  // The text of the schedule that was compiled last.
  const std::string& schedule() const { return schedule_; }
  // Returns the executable in its state after the last solve; null if nothing was compiled. No
  // further solve is possible after it was taken.
  std::unique_ptr<Executable> take_executable() { return std::move(executable_); }

 private:
  // Prepares everything for a solve of the instance, and returns the options of that solve.
  Expected<SolverOptions> prepare(const Instance& instance);
  Expected<DecidedProgram> decide(const Instance& instance, SolverOptions options);
  ProgramDemand demand_of(const Instance& instance) const;
  bool is_compiled(const ProgramOptions& wanted) const;
  void explain_lack_of_steps(const Instance& instance, SolverSummary& summary) const;
  Expected<void> make_ready(const Instance& instance, SolverOptions& options);
  Expected<void> compile_for(const Instance& instance, SolverOptions& options,
                             const std::stop_token& stop);
  // The energy as schedules see it, and the schedule that a request names for it.
  struct Planned {
    EnergyFile sited;
    Schedule schedule;
    Plan plan;
  };
  // Suits the program to the plan.
  Expected<Planned> plan_for(const Instance& instance, const RunRequest& request,
                             DecidedProgram& decided);
  Expected<void> compile(const Instance& instance, DecidedProgram& decided,
                         const std::stop_token& stop);
  // Warns, once, of independent members that share one trust region.
  void warn_of_members(const Instance& instance);
  // Returns the instance's data with copies on the host of what is on a device.
  Expected<Binding> data_on_host(const Instance& instance) const;
  std::string extents_text(const Binding& binding) const;
  std::string over_time_limit_text() const;
  void announce(RunStage stage, const SolverOptions* solver = nullptr,
                const IterationRecord* record = nullptr) const;

  const EnergyFile& file_;
  const RunRequest& request_;
  Backend& backend_;
  std::unique_ptr<Executable> executable_;
  std::string schedule_;
  double compile_seconds_ = 0;
  std::int64_t bytes_moved_before_ = 0;  // by executables that were replaced
  int num_solves_ = 0;
  double cpu_seconds_before_solve_ = 0;
  bool knows_members_ = false;
  std::optional<ProgramOptions> compiled_;  // what the executable was compiled for
  ProgramDecider decider_;
  std::string why_linear_solver_, why_precision_,
      price_of_order_;  // of the last solve; often empty
};

}  // namespace thallo
