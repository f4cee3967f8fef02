// Solves instances of one energy, one after the other, on one backend: chooses what is left open,
// compiles, binds and runs the solver. A program is compiled for the first solve and kept; only a
// solve that needs another one, for another solver, linear solver, preconditioner or precision,
// compiles again. Extents and data may be others in every solve.
//
// solve_problem() (driver.h) runs problems by it, EnergySolver (core/embed) the arrays of a program
// that Thallo is embedded in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/diagnostic.h"
#include "core/kernel/lower.h"
#include "core/problem/choose_linear_solver.h"
#include "core/problem/driver.h"
#include "core/problem/problem.h"
#include "core/schedule/precision.h"
#include "core/solve/solver.h"

namespace thallo {

class InstanceSolver {
 public:
  // All of them must outlive this. The request's progress is told of stages Compile to Iteration.
  InstanceSolver(const EnergyFile& file, const RunRequest& request, Backend& backend)
      : file_(file), request_(request), backend_(backend) {}
  InstanceSolver(const InstanceSolver&) = delete;
  InstanceSolver& operator=(const InstanceSolver&) = delete;

  // Makes everything ready for a solve of the instance, and returns the options of that solve.
  Expected<SolverOptions> prepare(const Instance& instance);
  // Minimizes from the instance's unknowns and leaves the result in them. After a failure they are
  // as they were.
  Expected<SolverSummary> solve(Instance& instance);

  Precision precision_of(const Instance& instance) const;
  // What is said when memory ran out during a solve.
  std::string out_of_memory_text(const Instance& instance) const;
  // Of all compilations so far.
  double compile_seconds() const { return compile_seconds_; }
  // Of the program that was compiled last, as text.
  const std::string& schedule() const { return schedule_; }
  // As the last solve left it; null before anything was compiled. Nothing can be solved after it
  // was taken.
  std::unique_ptr<Executable> take_executable() { return std::move(executable_); }

 private:
  ProgramOptions wanted_program(const Instance& instance, SolverOptions& options);
  void explain_lack_of_steps(const Instance& instance, SolverSummary& summary) const;
  Diagnostic with_its_cause(const Instance& instance, Diagnostic fault) const;
  Expected<void> make_ready(const Instance& instance, SolverOptions& options);
  Expected<void> compile_for(const Instance& instance, SolverOptions& options,
                             const std::stop_token& stop);
  Expected<void> compile(const Instance& instance, const SolverOptions& options,
                         const ProgramOptions& wanted, const std::stop_token& stop);
  AutoTarget target_of(const Instance& instance, const SolverOptions& options,
                       const ProgramOptions& program) const;
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
  int num_solves_ = 0;
  // What the executable was compiled for.
  std::optional<std::pair<ProgramOptions, Precision>> compiled_;
  std::optional<LinearSolverChoice> choice_;
  std::pair<SolverKind, std::vector<std::int64_t>> chosen_for_;  // and these extents
};

}  // namespace thallo
